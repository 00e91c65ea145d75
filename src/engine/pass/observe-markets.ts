import { max } from "../../kernel/decimal.ts";
import { AppError, BudgetSpent, VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { ageOf, isAhead, MINUTE, type Millis } from "../../kernel/time.ts";
import type { Balances } from "../../model/account.ts";
import type { Book, Candle, Market } from "../../model/market.ts";
import { type CandleSeries, elsewhereKey, isSameSource } from "../../model/memory.ts";
import { isInBook, type Order } from "../../model/order.ts";
import type { Deps } from "../../ports/deps.ts";
import type { CandleRequirement, Kind, Kinds, RequestedPrices } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/pass-store.ts";
import type { Timing, Venue, VenueOrder } from "../../ports/venue.ts";
import { isFinal, listedIn, type OrderReport } from "../reconcile/order-fills.ts";
import { isWaitedOut, type MarketSnapshot } from "../reconcile/reconcile.ts";
import { isBehind, isOfStrategy, longestRecovery } from "../reconcile/recovery.ts";
import { type Budget, callWithinBudget, spend, together } from "./budget.ts";
import { NOTHING_READ, readFills } from "./observe-fills.ts";
import { lookUp, startingAt } from "./observe-orders.ts";
import { leavingPairs } from "./urgent.ts";

type ReadBalances = () => Promise<Balances | undefined>;

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
  let balances: Balances | undefined;
  let short = false;
  const leaving = leavingPairs(snapshot);
  const symbols = symbolsInTurn(snapshot, leaving);
  for (const symbol of symbols) {
    spareFor(venue, leaving, symbol);
    const isTooMuch =
      budget.left < CALLS_PER_MARKET || (markets.size > 0 && budget.fitting < CALLS_WITH_ORDERS);
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
          const { memory, lease } = snapshot;
          const when = { now: lease.now, readAt: memory.tradesAt?.[symbol] };
          const looking = { ...market.observed, ...when, orders, turn: memory.turn };
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
    markets.set(symbol, { ...observed, unreadableOrders: looked.unreadable });
    for (const [clientId, order] of looked.reports) reports.set(clientId, order);
    short ||= observed.short || looked.short;
  }
  return { markets, refused, reports, balances, short };
}

/** In a pass with pairs to leave, the reads of all others use no reserved calls. */
export const spareFor = ({ spare }: Venue, leaving: ReadonlySet<Pair>, symbol?: Pair): void =>
  spare?.(leaving.size > 0 && (symbol === undefined || !leaving.has(symbol)));

/** Calls for open orders, trades and a quote. */
const CALLS_PER_MARKET = 3;
/** Those calls, the balances, and one or two orders; if they do not fit, the next pass makes them. */
const CALLS_WITH_ORDERS = CALLS_PER_MARKET + 3;

/**
 * Returns each symbol with a strategy or an unsettled order, first those that a strategy leaves. After an incomplete
 * pass, it starts with another symbol.
 */
function symbolsInTurn({ strategies, orders, memory }: Snapshot, leaving: ReadonlySet<Pair>): Pair[] {
  const symbols = [...new Set([...strategies, ...orders].map(({ symbol }) => symbol))].sort();
  const isLeft = (symbol: Pair) => leaving.has(symbol);
  return [symbols.filter(isLeft), symbols.filter((symbol) => !isLeft(symbol))].flatMap((some) =>
    startingAt(some, memory.turn),
  );
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
    // Trades that are not due show that none has moved.
    readBeside && isDue && haveMoved(snapshot, symbol, open) ? readBeside() : undefined,
  );
  return {
    observed: {
      ...price,
      open: open.every(isInBook) ? open : open.filter(isInBook),
      tradesRead: isDue && !fills.short,
      ...fills,
    },
    balances,
  };
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

/**
 * Returns whether a pass reads a market's trades. The open list shows every open order, so if none disappeared and
 * none filled further, there is nothing to book. Trades without an order are found at intervals.
 */
export function tradesAreDue(
  snapshot: Snapshot,
  symbol: Pair,
  open: readonly VenueOrder[],
  timing: Timing,
): boolean {
  const { memory, lease, orders, strategies, epoch } = snapshot;
  const readAt = memory.tradesAt?.[symbol];
  if (readAt === undefined || ageOf(readAt, lease.now) >= timing.tradesEvery) return true;
  // After a restore, the exchange knows more than the rows.
  const recovers = ({ state }: Snapshot["strategies"][number]) =>
    isAhead(state.recoversUntil, lease.now, longestRecovery(timing)) || state.searchSince !== undefined;
  if (
    strategies.some(
      (strategy) => strategy.symbol === symbol && (isBehind(strategy, epoch) || recovers(strategy)),
    )
  )
    return true;
  const known = new Set(orders.map(({ exchangeId }) => exchangeId));
  return (
    open.some((order) => !known.has(order.id) && isOfStrategy(order)) || haveMoved(snapshot, symbol, open)
  );
}

/** Returns whether an order of a strategy has disappeared from the open list, or has filled further. */
function haveMoved({ orders, lease }: Snapshot, symbol: Pair, open: readonly VenueOrder[]): boolean {
  const listedAs = listedIn(open);
  return orders.some(
    (order) =>
      order.symbol === symbol &&
      order.strategy !== null &&
      !isWaitedOut(order, lease.now) &&
      hasMoved(order, listedAs(order)),
  );
}

function hasMoved(order: Order, listed: VenueOrder | undefined): boolean {
  if (!listed && !isFinal(order)) return true;
  return max(order.filled, listed?.filled ?? order.filled) > order.booked;
}

/** How long an exchange can take to show a completed candle; after that, nobody traded in it. */
const MAX_CANDLE_DELAY_MS: Millis = MINUTE;

/** Reads completed candles for each pair whose strategies use them, once per candle. */
export async function readCandles<S extends RequestedPrices & { readonly book?: Book | undefined }>(
  { kinds, venue, candlesAt }: Pick<Deps, "kinds" | "candlesAt"> & { readonly venue: Venue },
  { strategies, memory }: Pick<Snapshot, "strategies" | "memory">,
  markets: Map<Pair, S>,
  budget: Budget,
): Promise<void> {
  for (const [symbol, market] of markets) {
    const needs = candleNeedsOf({ strategies }, kinds, symbol);
    const { book } = market;
    if (needs.length === 0 || !book) continue;
    const before = [symbol, elsewhereKey(symbol)].flatMap((key) => memory.candles?.[key] ?? []);
    const candles: CandleSeries[] = [];
    for (const need of needs) {
      const known = before.find((one) => isSameSource(one, need));
      const range = { span: need.span, limit: need.count + 2 };
      const pair = need.symbol ?? symbol;
      const read = () =>
        need.exchange === undefined || need.exchange === venue.account.exchange
          ? venue.candles(pair, range)
          : candlesAt?.(need.exchange, pair, range);
      const series = await readSeries({ read, budget }, need, { known, at: book.at });
      if (series) candles.push(series);
    }
    markets.set(symbol, { ...market, candles });
  }
}

/** Returns each source that a strategy of the pair uses, with the largest count. */
function candleNeedsOf(
  { strategies }: Pick<Snapshot, "strategies">,
  kinds: Deps["kinds"],
  symbol: Pair,
): readonly CandleRequirement[] {
  const found: CandleRequirement[] = [];
  for (const { kind, config } of strategies.filter((strategy) => strategy.symbol === symbol))
    for (const need of kinds(kind).candlesFor?.(config) ?? []) {
      const known = found.findIndex((one) => isSameSource(one, need));
      if (known < 0) found.push(need);
      else found[known] = { ...need, count: Math.max(need.count, found[known]?.count ?? 0) };
    }
  return found;
}

/** Returns the known series while no candle has completed since; one that cannot be read stays as it was. */
async function readSeries(
  { read, budget }: { readonly read: () => Promise<readonly Candle[]> | undefined; readonly budget: Budget },
  need: CandleRequirement,
  { known, at }: { readonly known: CandleSeries | undefined; readonly at: Millis },
): Promise<CandleSeries | undefined> {
  const end = Math.floor(at / need.span) * need.span;
  if (known?.until === end && known.count === need.count) return known;
  const result = await callWithinBudget(budget, async () => read()).catch(unlessRead);
  return result?.answer ? completedSeries(result.answer, need, at) : known;
}

/** Returns the completed ones of an exchange's newest candles. */
export function completedSeries(
  candles: readonly Candle[],
  { count, ...source }: CandleRequirement,
  at: Millis,
): CandleSeries {
  const { span } = source;
  const end = Math.floor(at / span) * span;
  const rows = candles.filter((candle) => candle.at + span <= end).slice(-count);
  const last = rows.at(-1);
  const isFinal = at - end >= MAX_CANDLE_DELAY_MS;
  return { ...source, count, until: isFinal || !last ? end : last.at + span, rows };
}

/** Another exchange can also have been removed from the settings. */
function unlessRead(error: unknown): undefined {
  if (error instanceof VenueError || error instanceof AppError) return undefined;
  throw error;
}
