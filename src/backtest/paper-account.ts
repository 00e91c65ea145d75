import { type Decision, decide } from "../engine/decide/decide.ts";
import { urgentCancels } from "../engine/pass/urgent.ts";
import type { Observation } from "../engine/reconcile/reconcile.ts";
import type { GridStrategy } from "../grid/state/state.ts";
import { type Decimal, max, mul, ONE, roundToStep } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import {
  applied,
  type BookChange,
  type BookedOrder,
  type Corner,
  cancel,
  crossing,
  execute,
  holdingsAfter,
  place,
  toVenueFill,
  toVenueOrder,
  type VenueBooks,
} from "../market/matching.ts";
import type { Balance } from "../model/account.ts";
import type { Bounds } from "../model/limits.ts";
import type { BidAsk, Book, BookLevel, Market, Side } from "../model/market.ts";
import { type AccountMemory, NO_MEMORY } from "../model/memory.ts";
import { type Fill, type MeasuredFill, type NewOrder, type Order, sentOrderOf } from "../model/order.ts";
import { reasonOf } from "../model/refusal-text.ts";
import type { Strategy } from "../model/strategy.ts";
import type { Kinds, RequestedPrices } from "../ports/kind.ts";
import type { Snapshot } from "../ports/stores/pass-store.ts";
import type { Timing, VenueFill, VenueOrder } from "../ports/venue.ts";
import { fillPricesOf, type Rules, type TickReach } from "./ticks.ts";

/** Reads and actions of a pass on a venue in memory. */
export interface PaperVenue {
  readonly quote: () => BidAsk;
  readonly place: (order: NewOrder) => Placed;
  readonly cancel: (id: string) => void;
  readonly balances: () => readonly Balance[];
  readonly openOrders: () => readonly VenueOrder[];
  /** Returns an order's current state by our client id. */
  readonly order: (clientId: string) => VenueOrder | undefined;
  /** Removes an ended order that is no longer needed. */
  readonly forget: (clientId: string) => void;
  /** Returns executions since the last call, oldest first. */
  readonly takeFills: () => readonly VenueFill[];
}

export type Placed = { readonly id: string } | { readonly rejected: string; readonly wouldTake?: boolean };

/** More depth than any order needs, so every taker order fills completely. */
export const DEEP_DEPTH: Decimal = 10n ** 12n * ONE;

interface PaperAccount extends Omit<PaperVenue, "quote" | "place" | "cancel"> {
  readonly resting: () => readonly BookedOrder[];
  /** Fills an open order at its own price, as maker. */
  readonly fill: (order: BookedOrder, amount: Decimal, at: Millis) => void;
  readonly place: (order: NewOrder, levels: readonly BookLevel[], at: Millis) => Placed;
  readonly cancel: (id: string, at: Millis) => void;
  /** Returns an independent copy of its current state. */
  readonly fork: () => PaperAccount;
}

/** Creates an account with its orders and balances, independent of prices: the caller reports when an order fills. */
export const paperAccount = (
  market: Market,
  { balances, at: settledAt }: { readonly balances: readonly Balance[]; readonly at: Millis },
): PaperAccount => {
  const entries = balances.map(({ asset, free, used }) => [asset, { total: free + used, used }]);
  const books: VenueBooks = { version: 1, settledAt, open: [], holdings: Object.fromEntries(entries) };
  return accountFrom(market, { books, fills: [], orders: new Map() });
};

interface Stood {
  readonly books: VenueBooks;
  readonly fills: readonly VenueFill[];
  readonly orders: ReadonlyMap<string, VenueOrder>;
}

function accountFrom(market: Market, stood: Stood): PaperAccount {
  let { books } = stood;
  let fills = [...stood.fills];
  const orders = new Map(stood.orders);
  const commit = (change: BookChange): void => {
    books = applied(books, change);
    for (const order of change.orders) orders.set(order.clientId, toVenueOrder(order));
    fills.push(...change.fills.map(toVenueFill));
  };
  return {
    resting: (): readonly BookedOrder[] => books.open,
    fork: () => accountFrom(market, { books, fills, orders }),
    fill(order: BookedOrder, amount: Decimal, at: Millis): void {
      const executed = execute(order, market, { price: order.price, amount, rate: market.maker, at });
      const change = { market, before: order, after: executed.order, fills: [executed.fill] };
      commit({
        settledAt: at,
        orders: [executed.order],
        fills: [executed.fill],
        holdings: holdingsAfter(books.holdings, [change]),
      });
    },
    place(order: NewOrder, levels: readonly BookLevel[], at: Millis): Placed {
      const change = place(books, order, { market, levels, at });
      if ("rejected" in change) return change;
      commit(change);
      return { id: (change.orders[0] as BookedOrder).id };
    },
    cancel(id: string, at: Millis): void {
      const change = cancel(books, id, at);
      if (change) commit(change);
    },
    balances: (): readonly Balance[] =>
      Object.entries(books.holdings).map(([asset, { total, used }]) => ({ asset, free: total - used, used })),
    openOrders: (): readonly VenueOrder[] =>
      books.open.map((order) => orders.get(order.clientId) ?? toVenueOrder(order)),
    order: (clientId: string): VenueOrder | undefined => orders.get(clientId),
    forget: (clientId: string): void => void orders.delete(clientId),
    takeFills(): readonly VenueFill[] {
      const newFills = fills;
      fills = [];
      return newFills;
    },
  };
}

/** Timing of a venue that responds at once and never late. */
const TIMING: Timing = {
  leaseTtl: 5000,
  requestTimeout: 2000,
  expiry: 0,
  skew: 0,
  readLag: 0,
  secondMiss: 0,
  overlap: 60_000,
  tradesEvery: 0,
  backoff: { first: 1000, max: 1000 },
};

// Limits of an account concern its real money, so they do not apply to a backtest.
const NO_BOUNDS: Bounds = { standings: { version: 0, all: [] }, now: undefined };
const NOT_KILLED = { on: false, cancels: false, sells: false };
const NO_ENTRIES = new Map<never, never>();

/** A strategy with its account between passes. */
export interface StrategyOnPaper<S extends Strategy = GridStrategy> {
  readonly strategy: S;
  /** Orders that are not settled. */
  readonly orders: readonly Order[];
  readonly memory: AccountMemory;
}

interface PaperPassResult<S extends Strategy = GridStrategy> {
  readonly account: StrategyOnPaper<S>;
  /** Fills booked in this pass, oldest first. */
  readonly fills: readonly Fill[];
  /** Whether it canceled orders; the freed balances are for the next pass. */
  readonly cancelled: boolean;
}

/** Returns a strategy before its first pass; `interval` is that of its passes, if they have one. */
export const opened = <S extends Strategy>(strategy: S, interval?: Millis): StrategyOnPaper<S> => ({
  strategy,
  orders: [],
  memory: interval === undefined ? NO_MEMORY : { ...NO_MEMORY, interval },
});

interface PaperPassOptions {
  readonly kinds: Kinds;
  /** What the strategy reads besides the book. */
  readonly requested?: RequestedPrices;
  /** Its fills so far, with the mids that earlier passes knew; oldest first. */
  readonly measured?: readonly MeasuredFill[];
}

/** Runs one pass: reads the venue in memory, decides with the real function, and executes the decision there. */
export function passOnPaper<S extends Strategy>(
  before: StrategyOnPaper<S>,
  market: Market,
  paper: PaperVenue,
  at: Millis,
  { kinds, requested = {}, measured = [] }: PaperPassOptions,
): PaperPassResult<S> {
  const snapshot = snapshotOf(before, at);
  // As a pass does: stops cancel their orders before anything is read.
  for (const { exchangeId } of urgentCancels(snapshot, Number.MAX_SAFE_INTEGER))
    paper.cancel(exchangeId ?? "");
  const decision = decide(snapshot, observationOf(before, { market, paper, kinds, requested, measured }), {
    limit: Number.MAX_SAFE_INTEGER,
    slow: null,
    bounds: NO_BOUNDS,
    kinds,
  });
  const recorded = recordOnPaper(before, decision, paper);
  for (const { exchangeId } of decision.cancels) paper.cancel(exchangeId ?? "");
  const placed = new Map(decision.creates.map((order) => [order.clientId, placeOnPaper(order, paper)]));
  const isPlaced = decision.creates.every(({ clientId }) => placed.get(clientId)?.state === "submitted");
  const isActive = decision.placing.includes(before.strategy.id) && isPlaced;
  return {
    account: {
      strategy: isActive ? { ...recorded.strategy, phase: "active" } : recorded.strategy,
      orders: recorded.orders.map((order) => placed.get(order.clientId) ?? order),
      memory: decision.memory,
    },
    fills: decision.changes.flatMap(({ fills }) => fills).sort((a, b) => a.at - b.at),
    cancelled: decision.cancels.length > 0,
  };
}

function snapshotOf({ strategy, orders, memory }: StrategyOnPaper<Strategy>, now: Millis): Snapshot {
  return {
    lease: { account: strategy.account, token: 1, owner: "", now, until: now + TIMING.leaseTtl },
    kill: NOT_KILLED,
    strategies: [strategy],
    orders,
    cursors: {},
    booked: {},
    memory,
    failures: 0,
    epoch: strategy.epoch,
    limits: { version: 0, set: {} },
    limitUses: [],
  };
}

type PaperReads = { readonly market: Market; readonly paper: PaperVenue } & Required<PaperPassOptions>;

function observationOf(
  { strategy, orders, memory }: StrategyOnPaper<Strategy>,
  { market, paper, kinds, requested, measured }: PaperReads,
): Observation {
  const reports = new Map<string, VenueOrder>();
  for (const { clientId } of orders) {
    const result = paper.order(clientId);
    if (result) reports.set(clientId, result);
  }
  const observed = {
    market,
    quote: paper.quote(),
    ...fillsOnPaper({ strategy, memory }, kinds, measured),
    ...(kinds(strategy.kind).reads === "book" ? { book: bookOnPaper(paper) } : {}),
    ...requested,
    error: null,
    open: paper.openOrders(),
    tradesRead: true,
    trades: paper.takeFills(),
    unreadable: [],
    reading: undefined,
  };
  return {
    markets: new Map([[strategy.symbol, observed]]),
    reports,
    balances: paper.balances(),
    balancesFirst: true,
    refused: NO_ENTRIES,
    found: [],
    unlooked: NO_ENTRIES,
    foreign: [],
    late: [],
    timing: TIMING,
  };
}

/** Returns the newest fills, if its kind uses them. */
function fillsOnPaper(
  { strategy, memory }: Pick<StrategyOnPaper<Strategy>, "strategy" | "memory">,
  kinds: Kinds,
  measured: readonly MeasuredFill[],
): Pick<RequestedPrices, "fills"> {
  const need = kinds(strategy.kind).fillsFor?.(strategy.config, memory.interval ?? 0);
  return need ? { fills: measured.slice(-need.count) } : {};
}

/** Returns a book with enough depth at the best prices, and nothing behind them, because a price has no sizes. */
function bookOnPaper(paper: PaperVenue): Book {
  const { bid, ask, at } = paper.quote();
  return { bids: [{ price: bid, amount: DEEP_DEPTH }], asks: [{ price: ask, amount: DEEP_DEPTH }], at };
}

/** Returns what the store would contain after the pass recorded its decision. */
function recordOnPaper<S extends Strategy>(
  { strategy, orders }: StrategyOnPaper<S>,
  { changes }: Decision,
  paper: PaperVenue,
) {
  const changed = new Map(changes.flatMap((change) => change.orders).map((order) => [order.clientId, order]));
  for (const { clientId, settled } of changed.values()) if (settled) paper.forget(clientId);
  const updates = changes.flatMap((change) => (change.strategy ? [change.strategy] : []));
  const live = orders.map((order) => changed.get(order.clientId) ?? order).filter(({ settled }) => !settled);
  return {
    strategy: Object.assign({}, strategy, ...updates) as S,
    orders: [...live, ...changes.flatMap(({ intents }) => intents)],
  };
}

function placeOnPaper(order: Order, paper: PaperVenue): Order {
  const placed = paper.place(sentOrderOf(order));
  if ("id" in placed) return { ...order, state: "submitted", exchangeId: placed.id };
  const { rejected, wouldTake } = placed;
  const reason = reasonOf({ cause: wouldTake ? "would_take" : "exchange", text: rejected });
  return { ...order, state: "rejected", reason };
}

/** An account on a venue whose price the caller sets, price point by price point. */
export interface Paper extends PaperVenue {
  /**
   * Moves the price straight to this price point: open orders on the way fill at their own price. Returns whether any
   * filled.
   */
  readonly moveTo: (corner: Corner) => boolean;
  /** Returns the prices in steps at which the next open order fills. */
  readonly reach: () => TickReach;
  /** Returns an independent copy of its current state. */
  readonly fork: () => Paper;
}

/** Returns the best price of the other side plus slippage. */
export const slippedPrice = ({ tick }: Market, { slippage }: Rules, side: Side, { bid, ask }: BidAsk) =>
  side === "buy"
    ? roundToStep(mul(ask, ONE + slippage, "up"), tick, "up")
    : roundToStep(mul(bid, ONE - slippage, "down"), tick, "down");

export const paper = (
  market: Market,
  rules: Rules,
  { balances, first, step = market.tick }: PaperOpening,
): Paper => paperFrom(paperAccount(market, { balances, at: first.at }), { market, rules, first, step });

interface PaperOpening {
  readonly balances: readonly Balance[];
  readonly first: Corner;
  /** Of the price points; the market's tick by default. */
  readonly step?: Decimal;
}

interface PaperPrices {
  readonly market: Market;
  readonly rules: Rules;
  readonly first: Corner;
  readonly step: Decimal;
}

function paperFrom(account: PaperAccount, { market, rules, first, step }: PaperPrices): Paper {
  const fillPrices = fillPricesOf(step, rules);
  let now = first;
  const bounds = new Map<string, number>();
  const boundOf = ({ id, side, price }: BookedOrder): number => {
    const known = bounds.get(id);
    if (known !== undefined) return known;
    const found = fillPrices[side](price);
    bounds.set(id, found);
    return found;
  };
  const isGood = (order: BookedOrder, ticks: number): boolean =>
    order.side === "buy" ? ticks <= boundOf(order) : ticks >= boundOf(order);
  const meet = (to: Corner): boolean => {
    const met = account
      .resting()
      .filter((order) => isGood(order, now.ticks) || isGood(order, to.ticks))
      .map((order) => {
        const good = (ticks: number) => isGood(order, ticks);
        return { order, at: good(now.ticks) ? now.at : crossing(now, to, good) };
      });
    for (const { order, at } of met.sort((a, b) => a.at - b.at)) {
      account.fill(order, order.amount - order.filled, at);
      bounds.delete(order.id);
    }
    return met.length > 0;
  };
  const quote = (): BidAsk => quoteAt(market, rules, now, step);
  return {
    ...account,
    quote,
    fork: () => paperFrom(account.fork(), { market, rules, first: now, step }),
    moveTo(corner) {
      const hasMet = meet(corner);
      now = corner;
      return hasMet;
    },
    place: (order) =>
      account.place(
        order,
        [{ price: slippedPrice(market, rules, order.side, quote()), amount: DEEP_DEPTH }],
        now.at,
      ),
    cancel: (id) => account.cancel(id, now.at),
    reach() {
      let [below, above] = [-Infinity, Infinity];
      for (const order of account.resting()) {
        const bound = boundOf(order);
        if (order.side === "buy") below = Math.max(below, bound);
        else above = Math.min(above, bound);
      }
      return { below, above };
    },
  };
}

/** Returns bid and ask in whole ticks: half the spread, at least one tick, on both sides of the price. */
export function quoteAt({ tick }: Market, { spread }: Rules, { ticks, at }: Corner, step = tick): BidAsk {
  const price = BigInt(ticks) * step;
  const half = max(tick, roundToStep(mul(price, spread / 2n, "half"), tick, "half"));
  return { bid: roundToStep(price, tick, "down") - half, ask: roundToStep(price, tick, "up") + half, at };
}

export interface WalkOptions {
  readonly market: Market;
  readonly rules: Rules;
  readonly balances: readonly Balance[];
  /** Whether to run every pass, even those that cannot change anything. */
  readonly everyPass?: boolean;
  /** Whether to use whole numbers when only the grid's own fills can happen. */
  readonly mayLeap?: boolean;
  /** Called before each bar; true ends the run. */
  readonly isOver?: ((bars: number) => boolean) | undefined;
}
