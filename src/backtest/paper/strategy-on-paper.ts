import { type Decision, decide } from "../../engine/decide/decide.ts";
import { urgentCancels } from "../../engine/pass/urgent.ts";
import type { Observation } from "../../engine/reconcile/observation.ts";
import type { GridStrategy } from "../../grid/state/state.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Fill, MeasuredFill } from "../../model/fill.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Book, Market } from "../../model/market.ts";
import { type AccountMemory, NO_MEMORY } from "../../model/memory.ts";
import { needed, type Order } from "../../model/order.ts";
import { reasonOf } from "../../model/rejection.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Kinds, RequestedPrices } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { Timing, VenueOrder } from "../../ports/venue.ts";
import { type PaperVenue, PLENTY } from "./paper-account.ts";

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
  backoff: { first: 1000, most: 1000 },
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

export interface Passed<S extends Strategy = GridStrategy> {
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

interface PassOptions {
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
  { kinds, requested = {}, measured = [] }: PassOptions,
): Passed<S> {
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

type PaperReads = { readonly market: Market; readonly paper: PaperVenue } & Required<PassOptions>;

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
  return { bids: [{ price: bid, amount: PLENTY }], asks: [{ price: ask, amount: PLENTY }], at };
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
  const placed = paper.place(needed(order));
  if ("id" in placed) return { ...order, state: "submitted", exchangeId: placed.id };
  const { rejected, wouldTake } = placed;
  const reason = reasonOf({ cause: wouldTake ? "would_take" : "exchange", text: rejected });
  return { ...order, state: "rejected", reason };
}
