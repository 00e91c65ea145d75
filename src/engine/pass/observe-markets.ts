import { BudgetSpent, VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Balance } from "../../model/account.ts";
import type { Book, Market } from "../../model/market.ts";
import type { Kind, Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { Venue } from "../../ports/venue.ts";
import type { MarketSnapshot } from "../reconcile/observation.ts";
import type { OrderReport } from "../reconcile/order-life.ts";
import { type Budget, spend, together } from "./budget.ts";
import { NOTHING_READ, readFills } from "./observe-fills.ts";
import { lookUp } from "./observe-orders.ts";
import { haveMoved, tradesAreDue } from "./trades-due.ts";

type ReadBalances = () => Promise<readonly Balance[] | undefined>;

/**
 * Reads every market in turn, and looks up its orders; skips one that the exchange refuses. If an order of the last
 * market has ended, its slot needs another one, so the balances are read beside its trades.
 */
export async function readMarkets(
  venue: Venue,
  snapshot: Snapshot,
  { kinds, readBeside }: { readonly kinds: Kinds; readonly readBeside: ReadBalances | undefined },
  budget: Budget,
) {
  const markets = new Map<Pair, MarketSnapshot & { readonly short: boolean }>();
  const refused = new Map<Pair, string>();
  const reports = new Map<string, OrderReport>();
  let balances: readonly Balance[] | undefined;
  let short = false;
  const symbols = symbolsInTurn(snapshot);
  for (const symbol of symbols) {
    const isTooMuch =
      budget.left < CALLS_A_MARKET || (markets.size > 0 && budget.fitting < CALLS_WITH_ORDERS);
    const reading = {
      symbol,
      reads: readsOf(snapshot, kinds, symbol),
      readBeside: symbol === symbols.at(-1) && budget.left >= CALLS_WITH_ORDERS ? readBeside : undefined,
    };
    const read = isTooMuch
      ? undefined
      : await unlessRefused(async () => {
          const market = await lookAtMarket(venue, snapshot, reading, budget);
          const orders = snapshot.orders.filter((order) => order.symbol === symbol);
          const looking = { ...market.observed, orders, turn: snapshot.memory.turn };
          return { ...market, looked: await lookUp(venue, looking, budget) };
        });
    if (!read) {
      short = true;
      break;
    }
    if (typeof read === "string") {
      refused.set(symbol, read);
      continue;
    }
    const { observed, looked } = read;
    balances ??= read.balances;
    markets.set(symbol, observed);
    for (const [clientId, order] of looked.reports) reports.set(clientId, order);
    short ||= observed.short || looked.short;
  }
  return { markets, refused, reports, balances, short };
}

/** Calls for open orders, trades and a quote. */
const CALLS_A_MARKET = 3;
/** Those calls, the balances, and one or two orders; if they do not fit, the next pass makes them. */
const CALLS_WITH_ORDERS = CALLS_A_MARKET + 3;

/** Returns each symbol with a strategy or an unsettled order. After an incomplete pass, it starts with another symbol. */
function symbolsInTurn({ strategies, orders, memory }: Snapshot): Pair[] {
  const symbols = [...new Set([...strategies, ...orders].map(({ symbol }) => symbol))].sort();
  const first = symbols.length > 0 ? memory.turn % symbols.length : 0;
  return [...symbols.slice(first), ...symbols.slice(0, first)];
}

/** A market, and which of its prices to read. */
interface LookedMarket {
  readonly symbol: Pair;
  readonly reads: Kind["reads"];
  /** Reads the balances beside the trades, if an order has ended or filled further. */
  readonly readBeside: ReadBalances | undefined;
}

/** Reads the whole book if any of its strategies uses it. */
const readsOf = ({ strategies }: Snapshot, kinds: Kinds, symbol: Pair): LookedMarket["reads"] =>
  strategies.some((strategy) => strategy.symbol === symbol && kinds(strategy.kind).reads === "book")
    ? "book"
    : "ticker";

/** Reads one market, everything after its open orders at the same time. An exchange that cannot be read ends the pass. */
async function lookAtMarket(
  venue: Venue,
  snapshot: Snapshot,
  { symbol, reads, readBeside }: LookedMarket,
  budget: Budget,
) {
  const open = await spend(budget, () => venue.openOrders(symbol));
  const isDue = tradesAreDue(snapshot, symbol, open, venue.timing);
  const [fills, price, balances] = await together(
    isDue ? readFills(venue, snapshot, symbol, budget) : NOTHING_READ,
    lookAtPrice(venue, { symbol, reads }, budget),
    haveMoved(snapshot, symbol, open) ? readBeside?.() : undefined,
  );
  return { observed: { ...price, open, tradesRead: isDue && !fills.short, ...fills }, balances };
}

/** Returns the reason if the exchange refuses only this market, and undefined if its rate limit lacks the calls. */
async function unlessRefused<T>(read: () => Promise<T>): Promise<T | string | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof BudgetSpent) return undefined;
    if (error instanceof VenueError && (error.failure === "unlisted" || error.failure === "refused"))
      return error.message;
    throw error;
  }
}

// Without a price, open orders are still processed, and the market's rules are still known.
async function lookAtPrice(
  venue: Venue,
  { symbol, reads }: Pick<LookedMarket, "symbol" | "reads">,
  budget: Budget,
): Promise<Pick<MarketSnapshot, "market" | "quote" | "book" | "error" | "isUnlisted">> {
  let market: Market | undefined;
  try {
    market = await venue.market(symbol);
    if (reads === "ticker")
      return { market, quote: await spend(budget, () => venue.ticker(symbol)), error: null };
    const book = await spend(budget, () => venue.book(symbol, BOOK_LEVELS));
    return { market, book, ...bestPricesOf(book) };
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    const isUnlisted = error.failure === "unlisted";
    return {
      market: isUnlisted ? undefined : market,
      quote: undefined,
      error: error.message,
      ...(isUnlisted ? { isUnlisted } : {}),
    };
  }
}

/** More than all own orders of one side, so the best order of others is among the levels. */
const BOOK_LEVELS = 100;

/** Returns best prices; none if the book has an empty side, or is locked or crossed. */
function bestPricesOf({ bids, asks, at }: Book): Pick<MarketSnapshot, "quote" | "error"> {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  if (bid === undefined || ask === undefined)
    return { quote: undefined, error: `the book has no ${bid === undefined ? "bids" : "asks"}` };
  return bid < ask
    ? { quote: { bid, ask, at }, error: null }
    : { quote: undefined, error: "the book is crossed: its best bid is not below its best ask" };
}
