import { BudgetSpent, VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Balance } from "../../model/account.ts";
import type { Book } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Kind, Kinds } from "../../ports/kind.ts";
import type { Snapshot, StepStore } from "../../ports/stores/step-store.ts";
import type { Venue, VenueOrder } from "../../ports/venue.ts";
import type { MarketSnapshot, Observation } from "../reconcile/observation.ts";
import type { OrderReport } from "../reconcile/order-life.ts";
import { type Budget, spend, together } from "./budget.ts";
import { mayCreate } from "./may-create.ts";
import { readCandles } from "./observe-candles.ts";
import { readElsewhere } from "./observe-elsewhere.ts";
import { searchEnded } from "./observe-ended.ts";
import { NOTHING_READ, readFills, readLacking } from "./observe-fills.ts";
import { lookUp } from "./observe-orders.ts";
import { readFeePrices } from "./observe-prices.ts";
import { lookAtStrangers, strangersAmong } from "./observe-strangers.ts";
import { haveMoved, tradesAreDue } from "./trades-due.ts";
import { askWithin } from "./within-budget.ts";

/** Reads what a pass needs, in an order that misses nothing: open orders before trades, both before lookups. */
export async function observe(
  venue: Venue,
  deps: Pick<Deps, "kinds" | "reference"> & { readonly store: StepStore },
  snapshot: Snapshot,
  budget: Budget,
): Promise<Observation & { readonly short: boolean }> {
  const { store, kinds } = deps;
  const balancesFirst = snapshot.strategies.some(
    ({ phase, wants }) => phase === "starting" && wants === "run",
  );
  const readBalances = async () => (await askWithin(budget, () => venue.balances()))?.answer;
  const first = balancesFirst ? await readBalances() : undefined;
  const readBeside = first || !venue.readsTogether || !anyRuns(snapshot) ? undefined : readBalances;

  const marketReads = await readMarkets(venue, snapshot, { kinds, readBeside }, budget);
  const { markets, refused, reports } = marketReads;
  let { short } = marketReads;
  let balances = first ?? marketReads.balances;
  await readElsewhere({ ...deps, venue }, snapshot, markets, budget);
  await readCandles({ kinds, venue }, snapshot, markets, budget);
  short = (await readForCreates(venue, snapshot, { markets, reports, kinds }, budget)) || short;
  if (!balances && mayCreate(snapshot, markets, reports, kinds)) {
    balances = await readBalances();
    short ||= !balances;
  }
  const ended = await searchEnded(venue, snapshot, markets, budget);
  const strangers = await findStrangers(venue, { store, snapshot, markets, reports, ended }, budget);
  const { reports: named, short: isShort, ...ofStrangers } = strangers;
  for (const [clientId, order] of named) reports.set(clientId, order);
  const whole = new Map<Pair, MarketSnapshot>();
  for (const [symbol, observed] of markets) {
    const found = strangers.found.filter((order) => order.symbol === symbol);
    whole.set(symbol, await readLacking(venue, snapshot, symbol, { observed, reports, found }, budget));
  }
  const feePrices = await readFeePrices(venue, whole, budget);
  const read = { refused, reports, balances, balancesFirst, feePrices, timing: venue.timing };
  return { ...read, ...ofStrangers, markets: whole, short: short || isShort };
}

const anyRuns = ({ strategies, kill }: Snapshot): boolean =>
  !kill.on && strategies.some(({ wants }) => wants === "run");

type ReadBalances = () => Promise<readonly Balance[] | undefined>;

/**
 * Reads every market in turn, and looks up its orders; skips one that the exchange refuses. If an order of the last
 * market has ended, its slot needs another one, so the balances are read beside its trades.
 */
async function readMarkets(
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

/**
 * Reads trades of each market in which an order can be placed, even if no order changed, because the database can
 * lack an order that has filled. Returns whether some are left to read.
 */
async function readForCreates(
  venue: Venue,
  snapshot: Snapshot,
  {
    markets,
    reports,
    kinds,
  }: {
    readonly markets: Map<Pair, MarketSnapshot>;
    readonly reports: ReadonlyMap<string, OrderReport>;
    readonly kinds: Kinds;
  },
  budget: Budget,
): Promise<boolean> {
  let short = false;
  for (const [symbol, observed] of markets) {
    const strategies = snapshot.strategies.filter((strategy) => strategy.symbol === symbol);
    if (observed.tradesRead || observed.reading) continue;
    if (!mayCreate({ ...snapshot, strategies }, markets, reports, kinds)) continue;
    const fills = await readFills(venue, snapshot, symbol, budget);
    markets.set(symbol, { ...observed, ...fills, tradesRead: !fills.short });
    short ||= fills.short;
  }
  return short;
}

/** Classifies orders on the exchange that match no unsettled row, and finds those that are ours. */
async function findStrangers(
  venue: Venue,
  {
    store,
    snapshot,
    markets,
    reports,
    ended,
  }: {
    readonly store: StepStore;
    readonly snapshot: Snapshot;
    readonly markets: ReadonlyMap<Pair, MarketSnapshot>;
    readonly reports: ReadonlyMap<string, OrderReport>;
    readonly ended: readonly VenueOrder[];
  },
  budget: Budget,
) {
  const strangers = [...strangersAmong(snapshot, markets, reports, ended)];
  const known = await store.ordersByIds(snapshot.lease.account, { exchange: strangers, client: [] });
  const unknown = strangers.filter((id) => !known.some(({ exchangeId }) => exchangeId === id));
  const looked = await lookAtStrangers(venue, snapshot, markets, { unknown, ended, budget });
  const named = await store.ordersByIds(snapshot.lease.account, {
    exchange: [],
    client: looked.found.map(({ clientId = "" }) => clientId),
  });
  const met = meet(snapshot, looked.found, named);
  return {
    reports: met.reports,
    found: met.found,
    late: [
      ...known,
      ...met.late.filter(({ clientId }) => !known.some((order) => order.clientId === clientId)),
    ],
    foreign: looked.foreign,
    unlooked: looked.unlooked,
    short: looked.short,
  };
}

/** Matches found orders with rows by client id: a pending one is confirmed, and one that was given up exists after all. */
function meet({ orders }: Snapshot, found: readonly VenueOrder[], named: readonly Order[]) {
  const reports = new Map<string, OrderReport>();
  const late: Order[] = [];
  const rest: VenueOrder[] = [];
  for (const venueOrder of found) {
    const row = named.find(({ clientId }) => clientId === venueOrder.clientId);
    if (!row) rest.push(venueOrder);
    else if (orders.some(({ clientId }) => clientId === row.clientId)) reports.set(row.clientId, venueOrder);
    else late.push({ ...row, exchangeId: venueOrder.id });
  }
  return { reports, late, found: rest };
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

// Without a price nothing new is placed, but open orders are still processed.
async function lookAtPrice(
  venue: Venue,
  { symbol, reads }: Pick<LookedMarket, "symbol" | "reads">,
  budget: Budget,
): Promise<Pick<MarketSnapshot, "market" | "quote" | "book" | "error" | "isUnlisted">> {
  try {
    const market = await venue.market(symbol);
    if (reads === "ticker")
      return { market, quote: await spend(budget, () => venue.ticker(symbol)), error: null };
    const book = await spend(budget, () => venue.book(symbol, BOOK_LEVELS));
    return { market, book, ...bestPricesOf(book) };
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    const isUnlisted = error.failure === "unlisted";
    return {
      market: undefined,
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
