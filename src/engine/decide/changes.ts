import { type Decimal, mul, ONE, sum, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Millis } from "../../kernel/time.ts";
import { boundsAfter } from "../../limits/standing.ts";
import { type Balances, balanceIn, unreadBalance } from "../../model/account.ts";
import type { Event } from "../../model/events.ts";
import type { Bounds } from "../../model/limits.ts";
import type { BidAsk } from "../../model/market.ts";
import { type AccountMemory, type CandleSeries, elsewhereKey } from "../../model/memory.ts";
import {
  type Capital,
  type Fill,
  type FillCursor,
  type Funds,
  mayBeMet,
  type Order,
  type Resting,
} from "../../model/order.ts";
import { need, type Strategy } from "../../model/strategy.ts";
import type { AdvancedStrategy, Kinds } from "../../ports/kind.ts";
import {
  type Changes,
  NO_CHANGES,
  type Snapshot,
  type StrategyUpdate,
} from "../../ports/stores/pass-store.ts";
import { cursorAfter, isFinal, missingSince } from "../reconcile/order-fills.ts";
import {
  addFee,
  type MarketSnapshot,
  movementsOf,
  type Observation,
  type Reconciled,
} from "../reconcile/reconcile.ts";
import { exitReach } from "./stop.ts";

/** Returns what the database must store of a strategy after a pass. */
export function changesOf(
  before: Strategy,
  advanced: AdvancedStrategy,
  reconciled: readonly Reconciled[],
  now: Millis,
): Changes {
  const { strategy, intents, terms, released, events } = advanced;
  const known = reconciled.filter(({ adopted }) => !adopted);
  const adopted = reconciled.filter((reconciled) => reconciled.adopted).map(({ order }) => order);
  const left = new Map(released.map((order) => [order.clientId, order]));
  const orders = known.map((reconciled) => left.get(reconciled.order.clientId) ?? reconciled.order);
  return {
    ...NO_CHANGES,
    wish: strategy.status === "stopped" ? before : null,
    strategy: updateOf(before, strategy),
    fills: reconciled.flatMap(({ fills }) => fills),
    orders: orders.filter((order, index) => order !== known[index]?.before),
    adopted,
    intents,
    terms,
    events: [
      ...adopted.map((order) => adoptedEvent(order, now)),
      ...reconciled.flatMap((reconciled) => orderEvents(reconciled, now)),
      ...statusEvents(before, strategy, now),
      ...pausedEvents(before, strategy, now),
      ...events,
    ],
  };
}

/** Returns what the database must store of the account: manual orders, fills of unknown orders, and fill cursors. */
export const accountChanges = (
  {
    reconciled,
    snapshot,
    observation,
    memory,
    waiting,
    live,
    events,
  }: {
    reconciled: readonly Reconciled[];
    /** Other events of the account. */
    events: readonly Event[];
    /** All unsettled orders of the account after this pass. */
    live: readonly Order[];
    snapshot: Snapshot;
    observation: Observation;
    memory: AccountMemory | null;
    waiting: ReadonlyMap<Pair, Millis>;
  },
  now: Millis,
): Changes => ({
  ...NO_CHANGES,
  fills: reconciled.flatMap(({ fills }) => fills),
  orders: reconciled.filter(({ order, before }) => order !== before).map(({ order }) => order),
  events: [...events, ...reconciled.flatMap((reconciled) => orderEvents(reconciled, now))],
  cursors: cursorsOf(snapshot, observation, waiting, { live, now }),
  memory,
});

export const changesAnything = ({
  strategy,
  fills,
  orders,
  adopted,
  intents,
  events,
  cursors,
  memory,
}: Changes): boolean =>
  strategy !== null ||
  memory !== null ||
  Object.keys(cursors).length > 0 ||
  [fills, orders, adopted, intents, events].some(({ length }) => length > 0);

function updateOf(
  before: Strategy,
  { id, version, config, state, status, phase, lastError, stoppedAt }: Strategy,
): StrategyUpdate | null {
  const same =
    before.config === config &&
    before.state === state &&
    before.status === status &&
    before.phase === phase &&
    before.lastError === lastError &&
    before.stoppedAt === stoppedAt;
  const edited = before.config === config ? {} : { config };
  return same ? null : { id, version, ...edited, state, status, phase, lastError, stoppedAt };
}

function statusEvents(before: Strategy, { id, account, status, lastError }: Strategy, at: Millis): Event[] {
  if (before.status === status) return [];
  const message = `${before.status} to ${status}${lastError ? `: ${lastError}` : ""}`;
  return [{ account, strategy: id, at, kind: "status", message }];
}

/** Event when a limit on losses begins to pause the strategy. If the limit ends it, its exit is the event. */
function pausedEvents(
  { state: { halted } }: Strategy,
  { id, account, state }: Strategy,
  at: Millis,
): Event[] {
  if (halted || !state.halted || state.exit) return [];
  return [{ account, strategy: id, at, kind: "error", message: `it is paused: ${state.halted}` }];
}

function orderEvents({ order, before, lost }: Reconciled, at: Millis): Event[] {
  const event = (kind: Event["kind"], message: string): Event[] => [
    { account: order.account, strategy: order.strategy, at, kind, message: `${order.clientId}: ${message}` },
  ];
  if (lost) return event("lost", order.reason ?? "not found");
  if (before.state !== "rejected" && order.state === "rejected")
    return event("rejected", order.reason ?? "rejected");
  return [];
}

const adoptedEvent = ({ account, strategy, clientId }: Order, at: Millis): Event => ({
  account,
  strategy,
  at,
  kind: "adopted",
  message: `${clientId}: found on the exchange, placed after the database backup`,
});

function cursorsOf(
  { cursors }: Snapshot,
  { markets, timing }: Observation,
  waiting: ReadonlyMap<Pair, Millis>,
  { live, now }: { live: readonly Order[]; now: Millis },
): Record<string, FillCursor> {
  const moved: Record<string, FillCursor> = {};
  for (const [symbol, { reading }] of markets) {
    const orders = live.filter((order) => order.symbol === symbol);
    const most = Math.min(
      waiting.get(symbol) ?? Number.POSITIVE_INFINITY,
      reading?.until === undefined ? 0 : missingSince(orders, now, reading.until),
    );
    const next = reading && cursorAfter(cursors[symbol], reading, timing, most);
    if (next) moved[symbol] = next;
  }
  return moved;
}

/** Maximum number of remembered orders that do not belong to edgemaker. */
const MAX_FOREIGN_ORDERS = 200;

/** Returns the account's memory after a pass: prices, balances, and balance changes from strategies' fills. */
export function remember(
  memory: AccountMemory,
  { markets, balances, foreign, confidence }: Observation,
  {
    fills,
    waiting,
    now,
  }: { readonly fills: readonly Fill[]; readonly waiting: ReadonlyMap<Pair, Millis>; readonly now: Millis },
): AccountMemory {
  const quotes = [...markets].flatMap(([symbol, { quote, market }]) =>
    quote ? [[symbol, { mid: midOf(quote), at: quote.at, lot: market?.lot, observedAt: now }] as const] : [],
  );
  const elsewhere = [...markets].flatMap(([symbol, observed]) =>
    observed.elsewhere ? [[symbol, observed.elsewhere] as const] : [],
  );
  const candles = [...markets].flatMap(([symbol, market]) =>
    market.candles ? candlesByKey(symbol, market.candles) : [],
  );
  const read = [...markets].filter(([symbol, { tradesRead }]) => tradesRead && !waiting.has(symbol));
  const totals =
    balances && Object.fromEntries(balances.map(({ asset, free, used }) => [asset, free + used]));
  const moved = fills
    .filter(({ strategy, superseded }) => strategy !== null && !superseded)
    .reduce(withMovement, memory.moved);
  return {
    ...memory,
    marks: { ...memory.marks, ...Object.fromEntries(quotes) },
    ...(confidence?.size ? { confidence: { ...memory.confidence, ...Object.fromEntries(confidence) } } : {}),
    ...(elsewhere.length > 0 ? { elsewhere: { ...memory.elsewhere, ...Object.fromEntries(elsewhere) } } : {}),
    ...(candles.length > 0 ? { candles: { ...memory.candles, ...Object.fromEntries(candles) } } : {}),
    ...(balances && totals ? balancesRead(memory, { balances, totals, moved }) : {}),
    ...searchPagesAfter(memory, markets),
    tradesAt: { ...memory.tradesAt, ...Object.fromEntries(read.map(([symbol]) => [symbol, now])) },
    foreign:
      foreign.length === 0 ? memory.foreign : [...memory.foreign, ...foreign].slice(-MAX_FOREIGN_ORDERS),
    moved,
  };
}

function candlesByKey(symbol: Pair, series: readonly CandleSeries[]) {
  const isOwn = (one: CandleSeries) => one.symbol === undefined && one.exchange === undefined;
  const elsewhere = series.filter((one) => !isOwn(one));
  const own = [symbol, series.filter(isOwn)] as const;
  return elsewhere.length > 0 ? [own, [elsewhereKey(symbol), elsewhere] as const] : [own];
}

/** Returns what the account's memory stores of a read of its balances. */
function balancesRead(
  { baseline, unreadBalances: before = [] }: AccountMemory,
  {
    balances,
    totals,
    moved,
  }: { balances: Balances; totals: AccountMemory["moved"]; moved: AccountMemory["moved"] },
): Pick<AccountMemory, "baseline" | "balances" | "movedBefore" | "unreadBalances"> {
  const { unreadable = [] } = balances;
  // What an asset had before it could be read is unknown, so its changes count from its first readable balance.
  const late = before.flatMap(({ asset }) => {
    const total = totals[asset];
    return total === undefined || baseline?.[asset] !== undefined
      ? []
      : [[asset, total - (moved[asset] ?? ZERO)] as const];
  });
  return {
    baseline:
      late.length === 0 ? (baseline ?? totals) : { ...(baseline ?? totals), ...Object.fromEntries(late) },
    balances: [...balances],
    movedBefore: moved,
    ...(unreadable.length > 0 || before.length > 0 ? { unreadBalances: unreadable } : {}),
  };
}

function searchPagesAfter(
  { searchPages }: AccountMemory,
  markets: Observation["markets"],
): Pick<AccountMemory, "searchPages"> {
  const left = Object.entries(searchPages ?? {}).filter(([symbol]) => !markets.has(symbol as Pair));
  const next = [...markets].flatMap(([symbol, { searchPage }]) =>
    searchPage === undefined ? [] : [[symbol, searchPage] as const],
  );
  const pages = [...left, ...next];
  return { searchPages: pages.length === 0 ? undefined : Object.fromEntries(pages) };
}

const withMovement = (
  moved: Readonly<Record<string, Decimal>>,
  fill: Fill,
): Readonly<Record<string, Decimal>> => movementsOf(fill.symbol, fill).reduce(addFee, moved);

/** Balances and orders that the remaining strategies of an account can use in this pass. */
export interface StrategyAllowance {
  /** Undefined if the balances were not read. */
  readonly funds: Funds | undefined;
  /** Assets that invisible orders may lock; these orders are counted as if they did. */
  readonly doubted: ReadonlySet<string>;
  readonly resting: ReadonlyMap<Pair, readonly Resting[]>;
  /** Number of orders that can still be placed. */
  readonly limit: number;
  /** Planned buys of this pass in quote, by quote asset. */
  readonly openBuys: Funds;
  readonly short: boolean;
  readonly bounds: Bounds;
}

/** The strategies of the account, and their kinds. */
export interface AccountStrategies {
  readonly strategies: readonly Strategy[];
  readonly kinds: Kinds;
}

/**
 * Returns the allowance before the first strategy. `orders` are the account's unsettled orders as just observed, and
 * those of unread markets that can still arrive.
 */
export function firstShare(
  observation: Observation,
  orders: readonly Order[],
  { limit, bounds, strategies, kinds }: Pick<StrategyAllowance, "limit" | "bounds"> & AccountStrategies,
): StrategyAllowance {
  const unseen = unseenNeeds(observation, orders);
  return {
    funds: observation.balances && freeFunds(observation.balances, unseen),
    doubted: new Set(unseen.map(({ asset }) => asset)),
    resting: new Map(
      [...observation.markets].map(([symbol, observed]) => [
        symbol,
        [
          ...restingOn(symbol, observed, orders),
          // No other strategy buys where an exiting strategy is about to sell.
          ...strategies
            .filter((strategy) => strategy.symbol === symbol)
            .flatMap((strategy) => exitReach(kinds(strategy.kind), strategy, observed)),
        ],
      ]),
    ),
    limit,
    openBuys: {},
    short: false,
    bounds,
  };
}

/** Returns the allowance after a strategy planned `intents` on its symbol. */
export function afterTurn(
  share: StrategyAllowance,
  { strategy: { symbol }, quote: market }: { strategy: Strategy; quote: BidAsk | undefined },
  turn: { intents: readonly Order[]; funds: Funds | undefined; short: boolean },
): StrategyAllowance {
  const { quote } = splitPair(symbol);
  const bought = turn.intents.filter(({ side }) => side === "buy").map(notional);
  return {
    funds: turn.funds,
    doubted: share.doubted,
    // Copied only for new orders: it lists every order of the pair.
    resting:
      turn.intents.length === 0
        ? share.resting
        : new Map(share.resting).set(symbol, [...(share.resting.get(symbol) ?? []), ...turn.intents]),
    limit: share.limit - turn.intents.length,
    openBuys: { ...share.openBuys, [quote]: (share.openBuys[quote] ?? ZERO) + sum(bought) },
    short: share.short || turn.short,
    bounds: market
      ? turn.intents.reduce((bounds, intent) => boundsAfter(bounds, intent, market), share.bounds)
      : share.bounds,
  };
}

// Orders that can be on the exchange without being visible are counted as if they were.
function freeFunds(balances: Balances, unseen: ReturnType<typeof unseenNeeds>): Funds {
  const funds = new Map<string, Decimal | null>(balances.map(({ asset, free }) => [asset, free]));
  for (const { asset, amount } of unseen) funds.set(asset, (funds.get(asset) ?? ZERO) - amount);
  for (const { asset } of balances.unreadable ?? []) funds.set(asset, null);
  return Object.fromEntries(funds);
}

/** The fees of a market that was not read are unknown. */
const NO_FEES = { maker: ZERO, taker: ZERO, buyFeeIn: "unknown" } as const;

const unseenNeeds = ({ markets, reports }: Observation, orders: readonly Order[]) =>
  orders.flatMap((order) => {
    const market = markets.get(order.symbol)?.market ?? { ...splitPair(order.symbol), ...NO_FEES };
    const isUnseen = order.state === "pending" || order.state === "unknown";
    return isUnseen && typeof reports.get(order.clientId) !== "object" ? [need(market, order)] : [];
  });

// The user's own orders too, because filling them would also be a self-trade.
function restingOn(symbol: Pair, { open }: MarketSnapshot, orders: readonly Order[]): Resting[] {
  // An ended order that waits for its trades is no longer open, unless the list still shows it.
  const mine = orders.filter((order) => order.symbol === symbol && !isFinal(order));
  const known = new Set(mine.map(({ exchangeId }) => exchangeId));
  return [
    ...mine.filter(mayBeMet).map((order) => ({ side: order.side, price: farthest(order), order })),
    ...open.filter(({ id }) => !known.has(id)).map(({ side, price, id }) => ({ side, price, id })),
  ];
}

/** A price above every real price. */
const ANY: Decimal = ONE * ONE;

// A market order that is not confirmed can trade at any price.
const farthest = ({ type, side, price }: Order): Decimal =>
  type === "limit" ? price : side === "buy" ? ANY : ZERO;

const notional = ({ price, amount }: Pick<Order, "price" | "amount">): Decimal => mul(price, amount, "up");

/** Adds strategies and orders of markets that this pass did not read, because they share the capital. */
export const ofAllMarkets = <T extends AccountStrategies & { readonly orders: readonly Order[] }>(
  among: T,
  snapshot: Pick<Snapshot, "strategies" | "orders">,
  { markets }: Pick<Observation, "markets">,
): T => {
  const isUnread = ({ symbol }: { readonly symbol: Pair }) => !markets.has(symbol);
  return {
    ...among,
    strategies: [...among.strategies, ...snapshot.strategies.filter(isUnread)],
    orders: [...among.orders, ...snapshot.orders.filter(isUnread)],
  };
};

/** Adds an amount to the sum of a key. */
const addAmount = <K>(sums: Map<K, Decimal>, key: K, amount: Decimal): void => {
  sums.set(key, (sums.get(key) ?? ZERO) + amount);
};

/**
 * Adds up the capital that limits are a share of, once per pass: all quote of the account, and the cost of its
 * strategies' base. `note` replaces a strategy that the pass has advanced.
 */
export function capitalsOf(
  { balances }: Observation,
  { strategies, kinds, orders }: AccountStrategies & { readonly orders: readonly Order[] },
) {
  const quotes = new Map(strategies.map(({ id, symbol }) => [id, splitPair(symbol).quote]));
  const costOf = ({ kind, state }: Strategy) => kinds(kind).holdings(state).cost;
  const [costs, buys, openBuys] = [
    new Map<string, Decimal>(),
    new Map<string, Decimal>(),
    new Map<string, Decimal>(),
  ];
  if (balances) {
    for (const strategy of strategies) addAmount(costs, splitPair(strategy.symbol).quote, costOf(strategy));
    for (const { side, strategy, price, amount, booked } of orders) {
      const quote = quotes.get(strategy ?? "");
      if (side !== "buy" || strategy === null || quote === undefined) continue;
      const open = notional({ price, amount: amount - booked });
      addAmount(buys, strategy, open);
      addAmount(openBuys, quote, open);
    }
  }
  return {
    /** Returns the capital of a strategy, beside what this pass has planned. */
    of(strategy: Strategy, planned: Funds): Capital | undefined {
      const asset = splitPair(strategy.symbol).quote;
      if (!balances || unreadBalance(balances, asset)) return undefined;
      const { free, used } = balanceIn(balances, asset);
      return {
        whole: free + used + (costs.get(asset) ?? ZERO),
        quote: free + used,
        position: costOf(strategy) + (buys.get(strategy.id) ?? ZERO),
        openBuys: (openBuys.get(asset) ?? ZERO) + (planned[asset] ?? ZERO),
      };
    },
    note(before: Strategy, after: Strategy): void {
      if (balances && before.state !== after.state)
        addAmount(costs, splitPair(after.symbol).quote, costOf(after) - costOf(before));
    },
  };
}
