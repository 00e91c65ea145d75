import { messageOf } from "../../kernel/errors.ts";
import { medianOf } from "../../kernel/median.ts";
import { accountKey } from "../../model/account.ts";
import { foldSamples, minuteOf } from "../../model/liquidity-minute.ts";
import { type OwnOrder, sampleBook } from "../../model/liquidity-sample.ts";
import type { Book } from "../../model/market.ts";
import type { Order, OrderState } from "../../model/order.ts";
import type { Deps } from "../../ports/deps.ts";
import { forAnyone } from "../../ports/for-anyone.ts";
import type { WatchedPair } from "../../ports/stores/liquidity-store.ts";
import { absenceOf, missedBecause } from "../absence.ts";

type SampleWorld = Pick<
  Deps,
  "liquidity" | "store" | "venue" | "exchanges" | "reference" | "requests" | "inTime" | "log"
>;

/** The most that every exchange tells in one answer. */
const SAMPLED_LEVELS = 100;
/** Requests that a pair's sample may take. */
const REQUESTS_PER_SAMPLE = 4;

/** The exchange has taken it, and has not said that it has ended. */
const ON_THE_BOOK: readonly OrderState[] = ["submitted", "open", "partially_filled"];

/**
 * Once a minute and pair, by whichever process comes first: what its book offers, and what of it is ours. A book that
 * cannot be read is no sample: that minute is unknown.
 */
export async function sampleLiquidity(world: SampleWorld): Promise<void> {
  const { liquidity, store, requests, log } = world;
  if (!liquidity || liquidity.pairs.length === 0) return;
  if (requests && requests() < 2 * REQUESTS_PER_SAMPLE) return;
  const now = await store.now();
  const pairs = await liquidity.store.lacking(liquidity.pairs, minuteOf(now));
  if (pairs.length === 0) return;
  const orders = await store.unsettledOrders();
  for (const pair of pairs) {
    if (requests && requests() < REQUESTS_PER_SAMPLE) return;
    await samplePair(world, pair, orders).catch(async (error: unknown) => {
      log("warn", "a book was not read", { ...pair, reason: messageOf(error) });
      await liquidity.store.keepMiss(pair, { minute: minuteOf(now), cause: missedBecause(error) });
    });
  }
}

/** Places that list a pair and are silent, or are not asked, are not none: whether there is a price is unknown. */
const UNKNOWN_ELSEWHERE = { reference: null, sources: null };

/** The median of what other places say, and how many have. That none does takes nothing from the sample. */
async function priceElsewhere(world: SampleWorld, { exchange, symbol }: WatchedPair) {
  const { reference, exchanges, requests, log } = world;
  if (!reference) return { reference: null, sources: 0 };
  if (requests && requests() < REQUESTS_PER_SAMPLE + 2 * exchanges.length) return UNKNOWN_ELSEWHERE;
  const told = await reference(exchange, symbol).catch((error: unknown) => {
    log("warn", "no place was asked for a price", { exchange, symbol, reason: messageOf(error) });
    return undefined;
  });
  if (!told || (told.prices.length === 0 && told.listed)) return UNKNOWN_ELSEWHERE;
  const prices = told.prices.map(({ price }) => price);
  return { reference: medianOf(prices) ?? null, sources: prices.length };
}

async function samplePair(world: SampleWorld, pair: WatchedPair, orders: readonly Order[]): Promise<void> {
  const { liquidity, store, venue, inTime } = world;
  const { exchange, symbol } = pair;
  const place = venue(exchange);
  const [book, elsewhere] = await Promise.all([
    inTime(exchange, () => forAnyone(place).book(symbol, SAMPLED_LEVELS)),
    priceElsewhere(world, pair),
  ]);
  const account = accountKey(place.account);
  const own = orders.flatMap((order): OwnOrder[] => {
    const { side, price, amount, filled, type, state } = order;
    const isOurs = order.account === account && order.symbol === symbol && type === "limit";
    const one = { side, price, amount: amount - filled };
    return isOurs && ON_THE_BOOK.includes(state) && isShown(one, book) ? [one] : [];
  });
  const at = await store.now();
  const sample = sampleBook(
    { at, bid: undefined, ask: undefined, book, limit: SAMPLED_LEVELS, ...elsewhere },
    own,
  );
  const isThere = sample.ownOrders.bids > 0 && sample.ownOrders.asks > 0;
  const views = isThere ? [] : await store.strategies({ account, stopped: false });
  const ofPair = views.filter(({ strategy }) => strategy.symbol === symbol);
  const absence = absenceOf(sample.ownOrders, ofPair);
  for (const row of foldSamples([{ ...sample, absence }])) await liquidity?.store.keep(pair, row);
}

/** What would be the book's best price and is not has filled since it was last seen, or is gone. */
function isShown({ side, price }: OwnOrder, { bids, asks }: Pick<Book, "bids" | "asks">): boolean {
  const best = (side === "buy" ? bids : asks)[0]?.price;
  return best !== undefined && (side === "buy" ? price <= best : price >= best);
}
