import { messageOf } from "../../kernel/errors.ts";
import { accountKey } from "../../model/account.ts";
import { foldSamples, minuteOf } from "../../model/liquidity-minute.ts";
import { type OwnOrder, sampleBook } from "../../model/liquidity-sample.ts";
import type { Book } from "../../model/market.ts";
import type { Order, OrderState } from "../../model/order.ts";
import type { Deps } from "../../ports/deps.ts";
import { forAnyone } from "../../ports/for-anyone.ts";
import type { WatchedPair } from "../../ports/stores/liquidity-store.ts";

type SampleWorld = Pick<Deps, "liquidity" | "store" | "venue" | "requests" | "inTime" | "log">;

/** The most that every exchange tells in one answer. */
const LEVELS = 100;
/** Requests that a pair's sample may take. */
const REQUESTS = 4;

/** The exchange has taken it, and has not said that it has ended. */
const ON_THE_BOOK: readonly OrderState[] = ["submitted", "open", "partially_filled"];

/**
 * Once a minute and pair, by whichever process comes first: what its book offers, and what of it is ours. A book that
 * cannot be read is no sample: that minute is unknown.
 */
export async function sampleLiquidity(world: SampleWorld): Promise<void> {
  const { liquidity, store, requests, log } = world;
  if (!liquidity || liquidity.pairs.length === 0) return;
  if (requests && requests() < 2 * REQUESTS) return;
  const now = await store.now();
  const pairs = await liquidity.store.lacking(liquidity.pairs, minuteOf(now));
  if (pairs.length === 0) return;
  const orders = await store.unsettledOrders();
  for (const pair of pairs) {
    if (requests && requests() < REQUESTS) return;
    await samplePair(world, pair, orders).catch((error: unknown) =>
      log("warn", "a book was not read", { ...pair, reason: messageOf(error) }),
    );
  }
}

async function samplePair(
  { liquidity, store, venue, inTime }: SampleWorld,
  pair: WatchedPair,
  orders: readonly Order[],
): Promise<void> {
  const { exchange, symbol } = pair;
  const place = venue(exchange);
  const book = await inTime(exchange, () => forAnyone(place).book(symbol, LEVELS));
  const account = accountKey(place.account);
  const own = orders.flatMap((order): OwnOrder[] => {
    const { side, price, amount, filled, type, state } = order;
    const isOurs = order.account === account && order.symbol === symbol && type === "limit";
    const one = { side, price, amount: amount - filled };
    return isOurs && ON_THE_BOOK.includes(state) && isShown(one, book) ? [one] : [];
  });
  const at = await store.now();
  const seen = { at, bid: undefined, ask: undefined, book, limit: LEVELS, reference: null };
  for (const row of foldSamples([sampleBook(seen, own)])) await liquidity?.store.keep(pair, row);
}

/** What would be the book's best price and is not has filled since it was last seen, or is gone. */
function isShown({ side, price }: OwnOrder, { bids, asks }: Pick<Book, "bids" | "asks">): boolean {
  const best = (side === "buy" ? bids : asks)[0]?.price;
  return best !== undefined && (side === "buy" ? price <= best : price >= best);
}
