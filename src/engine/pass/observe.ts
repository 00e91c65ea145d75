import { ZERO } from "../../kernel/decimal.ts";
import { UnreadableError } from "../../kernel/errors.ts";
import { parseClientOrderId, strategyTag } from "../../kernel/ids.ts";
import type { Pair } from "../../kernel/pair.ts";
import { ageOf, type Millis } from "../../kernel/time.ts";
import type { Elsewhere } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { PassStore, Snapshot } from "../../ports/stores/pass-store.ts";
import type { HistoryStore } from "../../ports/stores/store.ts";
import type { Timing, Venue, VenueFill, VenueOrder } from "../../ports/venue.ts";
import { letOthersRun } from "../../ports/within-time.ts";
import { rhythmOf } from "../decide/intents.ts";
import type { OrderReport } from "../reconcile/order-fills.ts";
import type { MarketSnapshot, Observation } from "../reconcile/reconcile.ts";
import { isOfStrategy, isSearchingEndedOrders } from "../reconcile/recovery.ts";
import { type Budget, callWithinBudget } from "./budget.ts";
import { readFeePrices } from "./fee-prices.ts";
import { readFills, readLacking } from "./observe-fills.ts";
import { readCandles, readMarkets, spareFor } from "./observe-markets.ts";
import { unlessUnreadable } from "./observe-orders.ts";
import { mayCreate } from "./own-offers.ts";
import { leavingPairs, leavingStrategies, sellsBase } from "./urgent.ts";

/** Reads what a pass needs, in an order that misses nothing: open orders before trades, both before lookups. */
export async function observe(
  venue: Venue,
  deps: Pick<Deps, "kinds" | "reference" | "candlesAt" | "local"> & {
    readonly store: PassStore & MeasuredStore;
  },
  snapshot: Snapshot,
  budget: Budget,
): Promise<Observation & { readonly short: boolean }> {
  const { store, kinds, local } = deps;
  const isLarge = hasManyOrders(snapshot);
  const leaving = leavingPairs(snapshot);
  const balancesFirst = needsBalancesFirst(venue, snapshot);
  const readBalances = async () => (await callWithinBudget(budget, () => venue.balances()))?.answer;
  const first = balancesFirst ? await readBalances() : undefined;
  const readBeside = first || !venue.readsTogether || !anyRuns(snapshot) ? undefined : readBalances;

  const marketReads = await readMarkets(venue, snapshot, { kinds, readBeside }, budget);
  const { markets, refused, reports } = marketReads;
  let { short } = marketReads;
  let balances = first ?? marketReads.balances;
  if (isLarge) await letOthersRun(local);
  await readElsewhere({ ...deps, venue }, snapshot, markets, budget);
  await readCandles({ ...deps, venue }, snapshot, markets, budget);
  await readMeasuredFills({ kinds, store }, snapshot, markets);
  const { idle, ...trades } = await readForCreates(venue, snapshot, { markets, reports, kinds }, budget);
  short ||= trades.short;
  if (isLarge) await letOthersRun(local);
  const strategies = snapshot.strategies.filter(({ symbol }) => !idle.has(symbol));
  if (!balances && (await mayCreate({ ...snapshot, strategies }, markets, reports, kinds))) {
    spareFor(venue, leaving);
    balances = await readBalances();
    short ||= !balances;
  }
  venue.spare?.(false);
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

/** Other requests run after each step over an account with more. */
const MANY_ORDERS = 1000;

export const hasManyOrders = ({ orders }: Snapshot): boolean => orders.length > MANY_ORDERS;

/**
 * Returns whether the balances are read before the orders. If the calls are few, the reads of several pairs would use
 * them up in each pass, and without balances nothing is sold. Beside a sale that was sent, usually nothing is left.
 */
function needsBalancesFirst({ spare }: Venue, snapshot: Snapshot): boolean {
  const isSelling = ({ id }: Strategy) =>
    snapshot.orders.some(
      ({ strategy, kind, state }) => strategy === id && kind === "exit" && state !== "rejected",
    );
  return (
    snapshot.strategies.some(({ phase, wants }) => phase === "starting" && wants === "run") ||
    (spare !== undefined &&
      leavingStrategies(snapshot).some((strategy) => sellsBase(strategy) && !isSelling(strategy)))
  );
}

const anyRuns = ({ strategies, kill }: Snapshot): boolean =>
  !kill.on && strategies.some(({ wants }) => wants === "run");

/**
 * Reads trades of each market in which an order can be placed, even if no order changed, because the database can
 * lack an order that has filled. Returns whether some are left to read, and the markets in which none can be placed.
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
): Promise<{ readonly short: boolean; readonly idle: ReadonlySet<Pair> }> {
  const leaving = leavingPairs(snapshot);
  const idle = new Set<Pair>();
  let short = false;
  for (const [symbol, observed] of markets) {
    const strategies = snapshot.strategies.filter((strategy) => strategy.symbol === symbol);
    if (observed.tradesRead || observed.reading) continue;
    if (!(await mayCreate({ ...snapshot, strategies }, markets, reports, kinds))) {
      idle.add(symbol);
      continue;
    }
    spareFor(venue, leaving, symbol);
    const fills = await readFills(venue, snapshot, symbol, budget);
    markets.set(symbol, { ...observed, ...fills, tradesRead: !fills.short });
    short ||= fills.short;
  }
  return { short, idle };
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
    readonly store: PassStore;
    readonly snapshot: Snapshot;
    readonly markets: ReadonlyMap<Pair, MarketSnapshot>;
    readonly reports: ReadonlyMap<string, OrderReport>;
    readonly ended: readonly VenueOrder[];
  },
  budget: Budget,
) {
  const strangers = [...foreignOrdersAmong(snapshot, markets, reports, ended)];
  const known = await store.ordersByIds(snapshot.lease.account, { exchange: strangers, client: [] });
  const unknown = strangers.filter((id) => !known.some(({ exchangeId }) => exchangeId === id));
  const looked = await checkForeignOrders(venue, snapshot, markets, { unknown, ended, budget });
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

type ElsewhereDeps = Pick<Deps, "kinds" | "reference"> & { readonly venue: Venue };

/**
 * Reads the prices of other sources for each pair whose book is read, when its strategies need newer ones. A source
 * that does not respond keeps its last price and time.
 */
export async function readElsewhere<S extends MarketSnapshot>(
  { kinds, reference, venue }: ElsewhereDeps,
  snapshot: Snapshot,
  markets: Map<Pair, S>,
  budget: Budget,
): Promise<void> {
  const { now } = snapshot.lease;
  for (const [symbol, observed] of markets) {
    const every = freshness(snapshot, kinds, symbol);
    if (every === undefined) continue;
    const last = snapshot.memory.elsewhere?.[symbol] ?? { prices: [], requestedAt: null, bookAt: null };
    const bookAt = observed.book ? now : last.bookAt;
    const isDue = every !== null && (last.requestedAt === null || ageOf(last.requestedAt, now) >= every);
    const result =
      isDue && reference
        ? await callWithinBudget(budget, () => reference(venue.account.exchange, symbol))
        : undefined;
    const elsewhere = result
      ? { prices: merged(last.prices, result.answer.prices, now), requestedAt: now, bookAt }
      : { ...last, bookAt };
    markets.set(symbol, { ...observed, elsewhere });
  }
}

/**
 * Returns the maximum age of other sources' prices by the strictest strategy of the pair; null if no strategy needs
 * them, undefined if none reads the book.
 */
function freshness({ strategies }: Snapshot, kinds: Kinds, symbol: Pair): Millis | null | undefined {
  const mine = strategies.filter(
    (strategy) => strategy.symbol === symbol && kinds(strategy.kind).reads === "book",
  );
  if (mine.length === 0) return undefined;
  const requests = mine.flatMap((strategy) => kinds(strategy.kind).asksElsewhere?.(strategy.config) ?? []);
  return requests.length === 0 ? null : Math.min(...requests.map(({ every }) => every));
}

function merged(
  before: Elsewhere["prices"],
  results: readonly Omit<Elsewhere["prices"][number], "at">[],
  at: Millis,
): Elsewhere["prices"] {
  const silent = before.filter(({ source }) => !results.some((one) => one.source === source));
  return [...silent, ...results.filter(({ price }) => price > ZERO).map((one) => ({ ...one, at }))];
}

/*
 * A restored database can lack an order that has filled completely. Its trades show it, but an exchange can show a trade
 * late. The exchange's list of ended orders shows it as well, so strategies place nothing before that list was read.
 */

/** Maximum number of pages per pass and pair; the next pass continues. */
const MAX_SEARCH_PAGES = 4;

/** Ended orders of one market, and how far the list was read. */
type EndedSearch = Pick<MarketSnapshot, "searched" | "searchPage"> & {
  readonly orders: readonly VenueOrder[];
};

/** Searches the ended orders of every market whose strategies recover; returns those of the strategies that filled. */
async function searchEnded(
  venue: Venue,
  snapshot: Snapshot,
  markets: Map<Pair, MarketSnapshot>,
  budget: Budget,
): Promise<readonly VenueOrder[]> {
  const found: VenueOrder[] = [];
  for (const [symbol, market] of markets) {
    const recovering = snapshot.strategies.filter(
      (strategy) =>
        strategy.symbol === symbol && isSearchingEndedOrders(strategy, snapshot.lease.now, venue.timing),
    );
    if (recovering.length === 0 || !market.tradesRead) continue;
    const since = Math.min(...recovering.map(({ state }) => state.searchSince ?? 0));
    const { orders, ...search } = await readEnded(venue, snapshot, { symbol, since }, budget);
    const tags = new Set(recovering.map(({ number }) => strategyTag(number)));
    found.push(...orders.filter((order) => order.filled > ZERO && tags.has(strategyTagOf(order))));
    markets.set(symbol, { ...market, ...search });
  }
  return found;
}

const strategyTagOf = ({ clientId = "" }: VenueOrder): number => parseClientOrderId(clientId)?.tag ?? -1;

async function readEnded(
  { endedOrders }: Venue,
  { memory }: Snapshot,
  { symbol, since }: { readonly symbol: Pair; readonly since: number },
  budget: Budget,
): Promise<EndedSearch> {
  if (!endedOrders) return { orders: [], searched: true };
  const orders: VenueOrder[] = [];
  let page = memory.searchPages?.[symbol];
  for (let pages = 0; pages < MAX_SEARCH_PAGES; pages++) {
    const result = await callWithinBudget(budget, () => endedOrders(symbol, since, page));
    if (!result) break;
    orders.push(...result.answer.orders);
    page = result.answer.next;
    if (page === undefined) return { orders, searched: true };
  }
  return { orders, searched: false, searchPage: page };
}

type MeasuredStore = Pick<HistoryStore, "measuredFillsOf">;

/**
 * Reads the newest fills of strategies that use them, with the mids that earlier passes stored: one query each, and
 * none while the pair's newest fill is too old to matter.
 */
export async function readMeasuredFills<S extends MarketSnapshot>(
  { kinds, store }: { readonly kinds: Kinds; readonly store: MeasuredStore },
  snapshot: Snapshot,
  markets: Map<Pair, S>,
): Promise<void> {
  const { interval } = rhythmOf(snapshot);
  for (const { id, kind, symbol, config } of snapshot.strategies) {
    const need = kinds(kind).fillsFor?.(config, interval);
    const market = markets.get(symbol);
    const newest = snapshot.memory.filledAt?.[symbol];
    if (!need || !market || newest === undefined) continue;
    // Without a book there is no market time; a simulated one can always be read.
    const at = market.book?.at ?? snapshot.lease.now;
    if (at - newest > need.within) continue;
    const fills = await store.measuredFillsOf(id, { limit: need.count });
    markets.set(symbol, { ...market, fills: [...(market.fills ?? []), ...fills] });
  }
}

/** Returns ids of orders in trades or a list that match no unsettled order of ours. */
export function foreignOrdersAmong(
  { orders }: Snapshot,
  markets: ReadonlyMap<Pair, MarketSnapshot>,
  reports: ReadonlyMap<string, OrderReport>,
  ended: readonly VenueOrder[] = [],
): ReadonlySet<string> {
  const known = new Set<string>();
  for (const order of orders) {
    const observed = reports.get(order.clientId);
    if (order.exchangeId) known.add(order.exchangeId);
    if (typeof observed === "object") known.add(observed.id);
  }
  const named = [...markets].flatMap(([symbol, observed]) => [
    ...namesIn(symbol, observed).map(({ orderId }) => orderId),
    ...observed.open.filter((order) => !known.has(order.id) && isOfStrategy(order)).map(({ id }) => id),
  ]);
  return new Set([...named, ...ended.map(({ id }) => id)].filter((id) => !known.has(id)));
}

/**
 * Looks up orders without a row. Open ones are already known; one that appears only in a trade is looked up once.
 * While its trade is recent, a missing order proves nothing.
 */
export async function checkForeignOrders(
  venue: Venue,
  { memory, lease: { now } }: Snapshot,
  markets: ReadonlyMap<Pair, MarketSnapshot>,
  {
    unknown,
    ended = [],
    budget,
  }: { unknown: readonly string[]; ended?: readonly VenueOrder[]; budget: Budget },
) {
  const found: VenueOrder[] = [];
  const foreign: string[] = [];
  const unlooked = new Map<Pair, Millis>();
  let short = false;
  for (const id of unknown.filter((one) => !memory.foreign.includes(one))) {
    const listed = openWith(markets, id) ?? ended.find((order) => order.id === id);
    const looked = listed ? { answer: listed } : await lookAtTraded(venue, markets, id, budget);
    if (!looked || looked.answer instanceof UnreadableError) {
      leave(unlooked, markets, id);
      short ||= !looked;
    } else {
      const order = looked.answer;
      if (order && isOfStrategy(order)) found.push(order);
      else if (order || !isYoung(venue.timing, tradesNaming(markets, id), now)) foreign.push(id);
      else leave(unlooked, markets, id);
    }
  }
  return { found, foreign, unlooked, short };
}

type Naming = Pick<VenueFill, "orderId" | "symbol" | "at">;

/** Returns order ids of trades, including trades that cannot be booked. */
const namesIn = (symbol: Pair, { trades, unreadable }: MarketSnapshot): readonly Naming[] => [
  ...trades,
  ...unreadable.flatMap(({ orderId, at }) => (orderId === null ? [] : [{ orderId, symbol, at: at ?? 0 }])),
];

const tradesNaming = (markets: ReadonlyMap<Pair, MarketSnapshot>, id: string): Naming[] =>
  [...markets].flatMap(([symbol, observed]) =>
    namesIn(symbol, observed).filter(({ orderId }) => orderId === id),
  );

// A simulated venue, whose trades have simulated times, shows everything at once.
const isYoung = ({ readLag, skew }: Timing, trades: readonly Naming[], now: Millis): boolean =>
  readLag > 0 && trades.some(({ at }) => now - at <= readLag + skew);

// Its market is read again from its first trade.
function leave(unlooked: Map<Pair, Millis>, markets: ReadonlyMap<Pair, MarketSnapshot>, id: string): void {
  for (const { symbol, at } of tradesNaming(markets, id))
    unlooked.set(symbol, Math.min(at, unlooked.get(symbol) ?? at));
}

const openWith = (markets: ReadonlyMap<Pair, MarketSnapshot>, id: string): VenueOrder | undefined =>
  [...markets.values()].flatMap(({ open }) => open).find((order) => order.id === id);

async function lookAtTraded(
  venue: Venue,
  markets: ReadonlyMap<Pair, MarketSnapshot>,
  id: string,
  budget: Budget,
): Promise<{ readonly answer: VenueOrder | UnreadableError | undefined } | undefined> {
  const { symbol } = tradesNaming(markets, id)[0] ?? {};
  return symbol === undefined
    ? { answer: undefined }
    : callWithinBudget(budget, () => unlessUnreadable(() => venue.order({ symbol, id })));
}
