/** A stored strategy: what a person requested, and its current state. */
import { type Decimal, max, mul, ONE, sum, ZERO } from "../kernel/decimal.ts";
import type { StopRequest } from "../kernel/fields.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import { type AccountKey, type Balances, balanceIn } from "./account.ts";
import type { LimitCode } from "./limits.ts";
import type { Market, Side } from "./market.ts";
import type { LossWatch } from "./memory.ts";
import { type Funds, type Order, ordersOf, type TimeInForce } from "./order.ts";

/** Returns a strategy as texts name it: by its name and its id. */
export const calledBy = ({ id, name }: { readonly id: string; readonly name?: string | null }): string =>
  name ? `${name} (${id})` : id;

/** An id for examples. */
export const ID_EXAMPLE = "grid-kraken-BTC-USDT-1767225600000";

export type Wants = "run" | "pause" | "stop";
export const STRATEGY_STATUSES = ["idle", "running", "stopped", "error"] as const;
export type StrategyStatus = (typeof STRATEGY_STATUSES)[number];
export type Phase = "starting" | "placing" | "active" | "rebuilding" | "paused" | "stopping" | "done";

/** `config` and `state` belong to the kind; the other fields are the engine's and common to all kinds. */
export interface Strategy<
  Config extends StrategyConfig = StrategyConfig,
  State extends StrategyState = StrategyState,
> extends StopRequest {
  readonly id: string;
  /** What its owner calls it; several strategies can have one name. */
  readonly name?: string | null;
  /** Name of the kind, and the version of the kind's state in which it is stored. */
  readonly kind: string;
  readonly version: number;
  /** The millisecond in its id, unique in the database. */
  readonly number: Millis;
  readonly account: AccountKey;
  readonly symbol: Pair;
  readonly config: Config;
  readonly state: State;
  /** Only people change `wants`; only passes change status, phase and state. */
  readonly wants: Wants;
  readonly status: StrategyStatus;
  readonly phase: Phase;
  readonly lastError: string | null;
  /** Market time. */
  readonly startedAt: Millis;
  readonly stoppedAt: Millis | null;
  /** Epoch of the database when it started. */
  readonly epoch: number;
  /** How often a person resumed it. */
  readonly resumes: number;
  /** The newest requested change, and the number of changes requested; absent without any. */
  readonly edit?: Config | null;
  readonly edits?: number;
  /** Id of the request that started it, so a repeated request starts it only once. */
  readonly request: string | null;
}

/** Returns a requested change that no pass has processed yet. */
export const pendingEdit = <Config extends StrategyConfig>({
  edit,
  edits = 0,
  state,
}: Pick<Strategy<Config>, "edit" | "edits"> & { readonly state: Pick<StrategyState, "edits"> }):
  | Config
  | undefined => (edits > (state.edits ?? 0) && edit ? edit : undefined);

/** Returns how long it has run, or had run until it stopped; `now` is market time. */
export const runningTime = (
  { startedAt, stoppedAt }: Pick<Strategy, "startedAt" | "stoppedAt">,
  now: Millis,
): Millis => Math.max(0, (stoppedAt ?? now) - startedAt);

/** Settings common to all kinds. Prices are in quote, shares of 1. */
export interface StrategyConfig {
  /** false lets a slot's order be a taker order; otherwise a refused order is placed again. */
  readonly postOnly?: boolean | undefined;
  readonly stopLossPrice?: Decimal | undefined;
  readonly takeProfitPrice?: Decimal | undefined;
  /** Distance below the highest mid price since the start at which it ends. */
  readonly trailingStop?: Decimal | undefined;
  /** Whether one pass that reads a stop price is enough. */
  readonly stopAtOnce?: boolean | undefined;
  readonly triggerPrice?: Decimal | undefined;
  /** A result worse than this, in quote, pauses it until a person resumes it. */
  readonly maxLoss?: Decimal | undefined;
  /** Market time at which it ends, and what happens to its base then; default keep. */
  readonly endsAt?: Millis | undefined;
  readonly onEnd?: "keep" | "sell" | undefined;
  /** Minimum confidence in the price to place an order. */
  readonly confidence?: Decimal | undefined;
}

/** Returns whether a strategy can sell all its base by itself, without a limit of the account. */
export const canExit = ({
  stopLossPrice,
  takeProfitPrice,
  trailingStop,
  endsAt,
  onEnd,
}: StrategyConfig): boolean =>
  stopLossPrice !== undefined ||
  takeProfitPrice !== undefined ||
  trailingStop !== undefined ||
  (endsAt !== undefined && onEnd === "sell");

/** A slot: at most one of its orders is open at a time. */
export interface SlotState {
  /** Its number within the generation. */
  readonly index: number;
  /** Protocol time until which it places nothing, because the exchange rejected its order. */
  readonly retryAt: number;
  /** Rejected orders since the exchange last accepted one. */
  readonly rejects?: number;
  /**
   * Orders that ended without becoming visible since the exchange last accepted one; it is unknown whether they were
   * accepted.
   */
  readonly lost?: number;
  /** How often in a row a limit refused its order, the time of the next attempt, and the version of those limits. */
  readonly limited?: { readonly times: number; readonly until: Millis; readonly version: number };
}

/** The engine's part of a strategy's state; the rest belongs to the kind. */
export interface StrategyState {
  readonly generation: number;
  /** Highest serial in the ids of its orders; never decreases. */
  readonly serial: number;
  readonly slots: readonly SlotState[];
  /** Balance changes from fills per asset, summed separately from the kind's books; both must agree. */
  readonly ledger: { readonly moved: Readonly<Record<string, Decimal>> };
  readonly refused: readonly Refusal[];
  readonly exit: Exit | null;
  readonly notices: readonly Notice[];
  /** The database's epoch that it has processed, and its serial then; null before its first pass. */
  readonly epoch: number | null;
  readonly epochSerial?: number;
  /** Protocol time since which its market is closed or the exchange does not list it. */
  readonly closedSince?: Millis;
  readonly unexplained?: Unexplained | null;
  /** Its loss, if limited, and why no more orders are placed: its own loss or the account's. */
  readonly loss?: LossWatch | null;
  readonly halted?: string | null;
  /** Number of resumes at which its `maxLoss` paused it; absent or null if it has not. */
  readonly lostAt?: number | null;
  /** A stop price that one pass has observed. */
  readonly stopObserved?: ObservedMove<StopReason> | null;
  /** Highest mid price since the start, for a trailing stop. */
  readonly highest?: Decimal;
  /** Number of resumes that it has processed. */
  readonly resumes?: number;
  /** Number of changes that it has processed; `config` is the result of the newest one. */
  readonly edits?: number;
  /** Protocol time from which a stop can leave the open orders: earlier fills are visible by then. */
  readonly releaseAt?: Millis;
  /** Protocol time until which no new order is placed, because the database was restored. */
  readonly recoversUntil: number;
  /** Market time since which ended orders are searched before the next new order, because the database was restored. */
  readonly searchSince?: Millis | undefined;
}

/** The engine's part of every initial state. */
export const NEW_STRATEGY_STATE = {
  generation: 0,
  serial: 0,
  refused: [],
  exit: null,
  notices: [],
  epoch: null,
  recoversUntil: 0,
} as const;

/** P&L of a strategy in quote, marked at a price. Total = realized + unrealized, exactly. */
export interface Profit {
  readonly realized: Decimal;
  readonly unrealized: Decimal;
  readonly total: Decimal;
  /** Its base, and the cost of that base. */
  readonly position: Decimal;
  readonly cost: Decimal;
  /** Average cost per base; null without a position. */
  readonly averageCost: Decimal | null;
  /** Price at which the total is zero: (initial equity + fees in third assets − quote)/base; null without a position. */
  readonly breakEvenPrice: Decimal | null;
}

/** P&L and totals of a strategy's fills since it started, in quote; the same for every kind. */
export interface Accounts extends Profit {
  /** All fees paid, at the mark price. */
  readonly fees: Decimal;
  /** Completed cycles, and completely filled orders. */
  readonly cycles: number;
  readonly filledOrders: number;
}

/** Balance difference that a strategy's fills do not explain, the protocol time since which it exists, and its order. */
export interface Unexplained {
  readonly order: string | null;
  readonly since: Millis | null;
  readonly assets: Readonly<Record<string, Decimal>>;
  /** Trades of its orders that cannot be booked as the exchange returned them. */
  readonly trades?: readonly UnreadTrade[];
}

export interface UnreadTrade {
  /** Client id of the order that it belongs to. */
  readonly order: string;
  readonly trade: string;
  readonly reason: string;
}

export type RefusalReason =
  | "no_base"
  | "no_quote"
  | "below_minimum"
  | "would_self_cross"
  /** The order would be a taker order, and there is no price at which it could stay open. */
  | "would_take"
  | "inventory_missing"
  | "fills_missing"
  | "market_closed"
  /** The balance that the order needs cannot be read. */
  | "balance_unreadable"
  | "rejected"
  /** The exchange has not confirmed whether it accepted the slot's order. */
  | "unclear"
  | "recovering"
  | "killed"
  | "low_confidence"
  | "max_position"
  | "min_position"
  | "safety_reserve"
  | "defended"
  | LimitCode;

/** A slot without an order, and why. */
export interface Refusal {
  readonly slot: number;
  readonly reason: RefusalReason;
  readonly detail?: string;
}

/** Returns the refusal of an order whose balance cannot be read; undefined if it was read. */
export const unreadFunds = (funds: Funds, asset: string): Omit<Refusal, "slot"> | undefined =>
  funds[asset] === null
    ? { reason: "balance_unreadable", detail: `the exchange's balance of ${asset} cannot be read` }
    : undefined;

export const isSameRefusal = (a: Refusal, b: Refusal | undefined): boolean =>
  a.slot === b?.slot && a.reason === b.reason && a.detail === b.detail;

/** A problem of the strategy, apart from its refused slots. */
export interface Notice {
  readonly code:
    | "wide_spread"
    | "stop_price_held_up"
    | "all_below_cost"
    | "below_break_even"
    | "exit_beyond_collar"
    | "loss_limit"
    | "no_reference"
    | "one_sided"
    | "nothing_quoted"
    | "outside_depth"
    | "defended";
  readonly message: string;
}

export type StopReason = "stop_loss" | "trailing_stop" | "take_profit";

/** What a pass has observed, and the market time of its price. */
export interface ObservedMove<M extends string> {
  readonly move: M;
  readonly at: Millis;
}

/**
 * The end of a strategy: after its open orders have ended, all base is sold, or kept if `keeps`. An exit that has
 * started cannot be undone.
 */
export interface Exit {
  readonly reason: "stop" | "stop_loss" | "trailing_stop" | "take_profit" | "loss" | "end";
  readonly keeps?: true;
  /** For an exit at a price: the observed mid, and the configured price. */
  readonly reached?: { readonly mid: Decimal; readonly price: Decimal };
  /** Base at its start. */
  readonly baseAtStart?: Decimal;
  /** Number of orders that it has placed. */
  readonly tries: number;
  /** Protocol time since which the account has less free base than the exit must sell. */
  readonly lacksSince?: Millis;
}

/** Slots from this number belong to the strategy as a whole: their orders execute immediately and never stay open. */
export const FIRST_WHOLE_SLOT = 1000;
export const EXIT_SLOT = FIRST_WHOLE_SLOT + 1;

/**
 * Returns an order's time in force: orders of the strategy as a whole are taker orders; a slot's order is post-only
 * by default.
 */
export const timeInForceOf = (
  slot: number,
  { postOnly = true }: Pick<StrategyConfig, "postOnly">,
): TimeInForce => (slot >= FIRST_WHOLE_SLOT ? "ioc" : postOnly ? "post_only" : "gtc");

/** Amounts of the two assets of a pair. */
export interface PairAmounts {
  readonly quote: Decimal;
  readonly base: Decimal;
}

/** An account's free balances that a strategy still needs. */
export interface Reserve extends PairAmounts {
  /** Balances that its open orders lock, in addition. */
  readonly locked: PairAmounts;
  /** Maximum share of the account's capital for its buys, if set. */
  readonly maxPosition?: Decimal | undefined;
  readonly safetyReserve?: Decimal | undefined;
}

export const NO_RESERVE: Reserve = { quote: ZERO, base: ZERO, locked: { quote: ZERO, base: ZERO } };

const LOCKING: ReadonlySet<string> = new Set(["submitted", "open", "partially_filled"]);

/** Returns the balances that a strategy's open orders lock, including fees. */
export function lockedBy(
  { id }: Pick<Strategy, "id">,
  orders: readonly Order[],
  market: Market,
): PairAmounts {
  const resting = ordersOf(orders, id).filter(({ state }) => LOCKING.has(state));
  const lockedOn = (side: Side) =>
    sum(resting.filter((order) => order.side === side).map((order) => need(market, unfilled(order)).amount));
  return { quote: lockedOn("buy"), base: lockedOn("sell") };
}

const unfilled = ({ side, price, amount, filled }: Order) => ({ side, price, amount: amount - filled });

/** Returns the free balances after subtracting what strategies still need. */
export const freeBeside = (kept: PairAmounts, balances: Balances, { base, quote }: Market): PairAmounts => ({
  base: max(ZERO, balanceIn(balances, base).free - kept.base),
  quote: max(ZERO, balanceIn(balances, quote).free - kept.quote),
});

/** Returns how much free balance an order needs, including a fee in quote. */
export function need(
  { base, quote, maker, taker, buyFeeIn }: Pick<Market, "base" | "quote" | "maker" | "taker" | "buyFeeIn">,
  { side, price, amount }: { readonly side: Side; readonly price: Decimal; readonly amount: Decimal },
): { asset: string; amount: Decimal } {
  if (side === "sell") return { asset: base, amount };
  const notional = mul(price, amount, "up");
  return {
    asset: quote,
    amount: buyFeeIn !== "base" ? mul(notional, ONE + max(maker, taker), "up") : notional,
  };
}
