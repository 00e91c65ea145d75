/** The ledger of one position at average cost. */
import { abs, type Decimal, div, max, min, mul, mulDiv, ONE, sum, text, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { ageOf, MINUTE, type Millis } from "../../kernel/time.ts";
import type { BidAsk, Book, BookLevel, Market, Side } from "../../model/market.ts";
import type { Fill, Order, OrderTerms } from "../../model/order.ts";
import {
  type Accounts,
  lockedBy,
  NO_RESERVE,
  type PairAmounts,
  type Reserve,
  type Strategy,
  type StrategyConfig,
  type StrategyState,
} from "../../model/strategy.ts";
import type { DraftedStrategy, StrategyContext } from "../../ports/kind.ts";
import { hasTriggered, waitForTrigger } from "../decide/ending.ts";
import { cancellable, foreignOrderError, isRecovering } from "../decide/intents.ts";
import { reachedEvent } from "../decide/stop.ts";
import { addFee } from "../reconcile/reconcile.ts";

/** Returns the value of a position's budgets in quote, at the price of its start. */
const startOfPosition = ({ config: { budget }, state: { startPrice } }: PositionStrategy) => ({
  capital: budget.quote + mul(budget.base, startPrice, "half"),
  price: startPrice,
});

/** Returns the fields of a start with this budget. */
export const budgetSettings = ({ base, quote }: PairAmounts) => ({ baseBudget: base, quoteBudget: quote });

/** Assigns base of the account at the start price. */
export const withFirstBase = <S extends PositionState>(state: S, amount: Decimal): S => {
  const cost = mul(amount, state.startPrice, "half");
  const first = { base: state.first.base + amount, cost: state.first.cost + cost };
  const unsold = state.unsold === undefined ? {} : { unsold: state.unsold + amount };
  return { ...state, first, ...unsold, base: state.base + amount, cost: state.cost + cost };
};

export function bookTrade<S extends PositionState>(
  state: S,
  symbol: Pair,
  fill: Pick<Fill, "side" | "amount" | "notional" | "fees">,
): S {
  const { base, quote } = splitPair(symbol);
  const feeIn = (asset: string) =>
    sum(fill.fees.filter((fee) => fee.asset === asset).map(({ amount }) => amount));
  const sign = fill.side === "buy" ? 1n : -1n;
  const moved = {
    base: sign * fill.amount - feeIn(base),
    quote: -sign * fill.notional - feeIn(quote),
  };
  const thirds = fill.fees.filter(({ asset }) => asset !== base && asset !== quote);
  const worth = sum(thirds.map(({ value = ZERO }) => value));
  const cost = costAfter(state, moved);
  const realized = moved.quote + cost - state.cost - worth;
  const { ledger } = state;
  const after = state.base + moved.base;
  return {
    ...state,
    // A sell takes the base that the strategy bought first.
    ...(state.unsold === undefined ? {} : { unsold: max(ZERO, min(state.unsold, after)) }),
    base: after,
    cost,
    ledger: {
      ...ledger,
      quote: ledger.quote + moved.quote,
      realized: ledger.realized + realized,
      fees: fill.fees.reduce(addFee, ledger.fees),
      cash: thirds.map(({ asset, amount }) => ({ asset, amount: -amount })).reduce(addFee, ledger.cash),
      feesValue: ledger.feesValue + worth,
      feesEstimated: ledger.feesEstimated || fill.fees.some(({ isEstimated }) => isEstimated),
    },
  };
}

/**
 * Returns the cost after a fill: a buy adds its cost; a sell removes cost × sold ÷ position, and all of it if it
 * sells more than the position.
 */
function costAfter(
  { base, cost }: PositionState,
  moved: { readonly base: Decimal; readonly quote: Decimal },
): Decimal {
  if (moved.base >= ZERO) return cost - moved.quote;
  if (base <= ZERO) return cost;
  return cost - mulDiv(cost, { times: min(-moved.base, base), over: base }, "half");
}

/** Counts an order after its last fill. */
function countOrder<S extends PositionState>(state: S, { side, booked, amount }: Order): S {
  if (booked < amount) return state;
  const { ledger } = state;
  const counted = side === "buy" ? { bids: ledger.bids + 1 } : { asks: ledger.asks + 1 };
  return { ...state, ledger: { ...ledger, ...counted } };
}

export const movedByPosition = ({ base, first, ledger }: PositionState, symbol: Pair) => ({
  ...ledger.cash,
  [splitPair(symbol).base]: base - first.base,
  [splitPair(symbol).quote]: ledger.quote,
});

/**
 * Returns P&L. Without an observed price it uses the start price. A cycle is a completely filled bid and ask. Base that
 * the account had before, and that the strategy has not sold, counts at the start price if the state knows it.
 */
export function positionAccounts(
  { symbol, state }: Pick<PositionStrategy, "symbol" | "state">,
  mark: Decimal = state.startPrice,
): Accounts {
  const { base, cost, first, ledger, startPrice, unsold = ZERO } = state;
  const { realized, feesValue, fees, bids, asks } = ledger;
  const { base: baseAsset, quote: quoteAsset } = splitPair(symbol);
  const others = first.cost - mul(unsold, startPrice, "half");
  const own = base - unsold;
  const total = ledger.quote + mul(own, mark, "half") - others - feesValue;
  return {
    realized,
    unrealized: total - realized,
    total,
    position: base,
    cost,
    averageCost: base > ZERO ? div(cost, base, "half") : null,
    breakEvenPrice: own > ZERO ? div(others + feesValue - ledger.quote, own, "up") : null,
    fees: (fees[quoteAsset] ?? ZERO) + mul(fees[baseAsset] ?? ZERO, mark, "up") + feesValue,
    cycles: Math.min(bids, asks),
    filledOrders: bids + asks,
  };
}

/** State of a strategy that has one position at average cost; several kinds share it. */
export interface PositionConfig extends StrategyConfig {
  /** Amounts of the account that it can use. */
  readonly budget: { readonly base: Decimal; readonly quote: Decimal };
}

export interface PositionLedger {
  /** Balance changes from fills per asset, summed separately from the books; both must agree. */
  readonly moved: Readonly<Record<string, Decimal>>;
  /** Change of quote from fills, including fees in quote. */
  readonly quote: Decimal;
  readonly realized: Decimal;
  /** Fees paid so far, per asset. */
  readonly fees: Readonly<Record<string, Decimal>>;
  /** Balance changes in assets other than base and quote: fees charged in them, so never above zero. */
  readonly cash: Readonly<Record<string, Decimal>>;
  /** Value in quote of those fees when they were charged, and whether part of it is an estimate. */
  readonly feesValue: Decimal;
  readonly feesEstimated: boolean;
  /** Completely filled orders by side. */
  readonly bids: number;
  readonly asks: number;
}

export interface PositionState extends StrategyState {
  /** Start price, at which the first base is booked. */
  readonly startPrice: Decimal;
  /** Base of the account that it got at the start, and its value then. */
  readonly first: { readonly base: Decimal; readonly cost: Decimal };
  /** Part of that base that it has not sold, which earns it nothing; absent if its whole base counts. */
  readonly unsold?: Decimal;
  /** Current base and its cost. */
  readonly base: Decimal;
  readonly cost: Decimal;
  readonly ledger: PositionLedger;
}

export type PositionStrategy = Strategy<PositionConfig, PositionState>;

export const NO_POSITION = {
  first: { base: 0n, cost: 0n },
  base: 0n,
  cost: 0n,
  ledger: {
    moved: {},
    quote: 0n,
    realized: 0n,
    fees: {},
    cash: {},
    feesValue: 0n,
    feesEstimated: false,
    bids: 0,
    asks: 0,
  },
} as const satisfies Partial<PositionState>;

/** Maximum wait of a start until it is certain which base is unused; then it uses the certain part. */
const MAX_BASE_WAIT_MS = 5 * MINUTE;

/** Starts a waiting strategy at its trigger price, at which its first base is booked. */
export function triggerPosition<S extends PositionStrategy>(
  strategy: S,
  { observed: { quote, error } }: Pick<StrategyContext, "observed">,
): S {
  if (strategy.status !== "idle") return strategy;
  if (!quote) return { ...strategy, lastError: error };
  if (!hasTriggered(strategy, quote)) return waitForTrigger(strategy, quote);
  const state = { ...strategy.state, startPrice: midOf(quote), notices: [] };
  return { ...strategy, state, status: "running", lastError: null };
}

/** Assigns base to a starting strategy. Returns undefined until the available amount is known. */
export function beginPosition<S extends PositionStrategy>(
  strategy: S,
  live: readonly Order[],
  context: StrategyContext,
): S | undefined {
  const { phase, state, config, startedAt } = strategy;
  if (phase !== "starting" || strategy.status === "idle") return strategy;
  if (isRecovering(strategy, context)) return { ...strategy, lastError: foreignOrderError(context) };
  const { ownBase, now, isSimulated, observed } = context;
  if (ownBase === undefined) return undefined;
  const at = isSimulated ? (observed.quote?.at ?? startedAt) : now;
  const missing = max(ZERO, config.budget.base - state.first.base);
  const given = max(min(missing, max(ZERO, ownBase.least)), provenBase(state, live));
  if (!ownBase.isSure && given < missing && ageOf(startedAt, at) < MAX_BASE_WAIT_MS)
    return {
      ...strategy,
      lastError: "it starts when the balances show the open and recent orders of the account",
    };
  return { ...strategy, phase: "placing", status: "running", state: withFirstBase(state, given) };
}

/** Returns the base from before the database lost its start: what it has sold or offers beyond what it has bought. */
const provenBase = ({ base }: PositionState, live: readonly Order[]): Decimal =>
  sum(live.filter(({ side }) => side === "sell").map(({ amount, booked }) => amount - booked)) - base;

/** Returns a book without the account's own orders, to get the prices of others. */
export function withoutOwn(book: Book, own: readonly OrderTerms[]): Book {
  const rest = (levels: readonly BookLevel[], side: Side): BookLevel[] =>
    levels
      .map(({ price, amount }) => ({ price, amount: amount - restingAt(own, side, price) }))
      .filter(({ amount }) => amount > ZERO);
  return { ...book, bids: rest(book.bids, "buy"), asks: rest(book.asks, "sell") };
}

const restingAt = (own: readonly OrderTerms[], side: Side, price: Decimal): Decimal =>
  own.reduce(
    (sum, ownLevel) => (ownLevel.side === side && ownLevel.price === price ? sum + ownLevel.amount : sum),
    ZERO,
  );

/** Returns the mid price of a book; undefined if a side is empty, or the book is locked or crossed. */
export function midOfBook({ bids, asks }: Pick<Book, "bids" | "asks">): Decimal | undefined {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  return bid === undefined || ask === undefined || bid >= ask ? undefined : midOf({ bid, ask });
}

/**
 * Returns the mid price of others' orders. A book that is locked or crossed as read has none, even if own orders lock
 * it; otherwise a broken response would look like a market.
 */
export function midOfOthers(book: Book, own: readonly OrderTerms[]): Decimal | undefined {
  return midOfBook(book) === undefined ? undefined : midOfBook(withoutOwn(book, own));
}

/** Returns the part of the budget, after its fills, that no order has locked; either side can use all of it. */
function positionReserve(strategy: PositionStrategy, orders: readonly Order[], market: Market): Reserve {
  const { state, config, status, wants } = strategy;
  if (status === "stopped") return NO_RESERVE;
  const locked = lockedBy(strategy, orders, market);
  const base = max(ZERO, state.base + notYetGiven(strategy) - locked.base);
  // An exiting strategy buys nothing more.
  if (wants === "stop" || state.exit) return { base, quote: ZERO, locked };
  return { base, quote: max(ZERO, config.budget.quote + state.ledger.quote - locked.quote), locked };
}

/** Returns the account's base that it takes at its start. */
const notYetGiven = ({ phase, config, state }: PositionStrategy) =>
  phase === "starting" ? max(ZERO, config.budget.base - state.first.base) : ZERO;

/** Cancels the orders of a strategy whose exit triggered, and reports it. */
export function leaveMarket<S extends PositionStrategy>(
  strategy: S,
  live: readonly Order[],
  { now, quote }: { readonly now: Millis; readonly quote: BidAsk },
): Partial<DraftedStrategy<S>> {
  const leaving: S = { ...strategy, status: "running", phase: "stopping" };
  const { exit } = leaving.state;
  const { total } = positionAccounts(leaving, midOf(quote));
  const events = exit ? [reachedEvent(leaving, exit, { at: now, total })] : [];
  return { strategy: leaving, cancels: cancellable(live), events };
}

/** Decides which orders can stay: each one saves two calls and keeps its queue position. */
export interface Tolerance {
  /** Maximum distance from the planned price, as a share of it. */
  readonly price: Decimal;
  /** Maximum deviation from the planned amount, as a share of it. */
  readonly amount: Decimal;
}

/** Returns whether an open order with `left` unfilled still matches this level. */
export const matchesLevel = (
  { side, price, left }: Pick<OrderTerms, "side" | "price"> & { readonly left: Decimal },
  wish: OrderTerms,
  tolerance: Tolerance,
): boolean =>
  side === wish.side &&
  abs(price - wish.price) <= mul(wish.price, tolerance.price, "down") &&
  left >= mul(wish.amount, tolerance.amount, "up") &&
  left <= mul(wish.amount, ONE + (ONE - tolerance.amount), "down");

/** Returns what its orders can use: its base, and its budget after its fills. */
export const budgetLeft = ({ config, state }: Pick<PositionStrategy, "config" | "state">): PairAmounts => ({
  base: max(ZERO, state.base),
  quote: max(ZERO, config.budget.quote + state.ledger.quote),
});

/** Describes what its orders can use. */
function describePositionUse({ symbol, ...strategy }: PositionStrategy): string {
  const { base, quote } = splitPair(symbol);
  const left = budgetLeft(strategy);
  return `up to ${text(left.base)} ${base} and ${text(left.quote)} ${quote} are used`;
}

/** What all kinds with one position have in common. */
export const POSITION_KIND = {
  bookEnd: countOrder,
  // Its first base is known when all its orders are: it starts again with that.
  beforeFound: <S>({ state }: { readonly state: S }): S => state,
  afterFound: <S>(state: S): S => state,
  skipGenerations: <S>({ state }: { readonly state: S }): S => state,
  release: <S>(state: S): S => state,
  holdings: ({ base, cost }: PositionState) => ({ base, cost }),
  reserve: positionReserve,
  movedByBooks: movedByPosition,
  accounts: positionAccounts,
  outdated: () => [],
  reads: "book",
  onPause: "cancel",
  readUse: async (_deps: unknown, { config }: Pick<PositionStrategy, "config">) => config.budget,
  describeUse: describePositionUse,
  startedWith: startOfPosition,
} as const;
