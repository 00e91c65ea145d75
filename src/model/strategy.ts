/** A strategy as it is stored: what a person asked for, and what its passes have made of it. */
import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { StopWish } from "../kernel/stop-flags.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey } from "./account.ts";
import type { LimitCode } from "./limits.ts";
import type { LossWatch } from "./memory.ts";
import type { TimeInForce } from "./order.ts";

export type Wants = "run" | "pause" | "stop";
export const STRATEGY_STATUSES = ["idle", "running", "stopped", "error"] as const;
export type StrategyStatus = (typeof STRATEGY_STATUSES)[number];
export type Phase = "starting" | "placing" | "active" | "rebuilding" | "paused" | "stopping" | "done";

/** `config` and `state` are its kind's, beside what the engine needs of every one. */
export interface Strategy<
  Config extends StrategyConfig = StrategyConfig,
  State extends StrategyState = StrategyState,
> extends StopWish {
  readonly id: string;
  /** The name of its kind, and the version of the kind's state that it is stored in. */
  readonly kind: string;
  readonly version: number;
  /** The millisecond in its id, unique in the database. */
  readonly number: Millis;
  readonly account: AccountKey;
  readonly symbol: Pair;
  readonly config: Config;
  readonly state: State;
  /** Written by people alone; status, phase and state by steps alone. */
  readonly wants: Wants;
  readonly status: StrategyStatus;
  readonly phase: Phase;
  readonly lastError: string | null;
  /** Market time. */
  readonly startedAt: Millis;
  readonly stoppedAt: Millis | null;
  /** The database's epoch in which it was started. */
  readonly epoch: number;
  /** How often a person has resumed it. */
  readonly resumes: number;
  /** What a person has last asked it to be changed to, and how often one has; absent where nobody has. */
  readonly edit?: Config | null;
  readonly edits?: number;
  /** Of the request that started it, so that the same request starts it once. */
  readonly request: string | null;
}

/** What a person may ask of any kind. Prices in quote, shares of 1. */
export interface StrategyConfig {
  /** false lets an order of a slot take; absent, it rests or is placed again. */
  readonly postOnly?: boolean | undefined;
  readonly stopLossPrice?: Decimal | undefined;
  readonly takeProfitPrice?: Decimal | undefined;
  readonly triggerPrice?: Decimal | undefined;
  /** Least price confidence at which an order is placed. */
  readonly confidence?: Decimal | undefined;
}

/** Where at most one order is open at a time. */
export interface SlotState {
  /** Its number within the generation. */
  readonly index: number;
  /** Protocol time before which it places nothing, after a venue refused its order. */
  readonly retryAt: number;
  /** Orders of it that a venue has refused since it last took one. */
  readonly rejects?: number;
  /** Orders of it that ended unseen since a venue last took one: nobody said whether they were taken. */
  readonly lost?: number;
  /** How often in a row a limit has refused its order, until when none is tried, and under which limits. */
  readonly limited?: { readonly times: number; readonly until: Millis; readonly version: number };
}

/** What the engine keeps of every strategy in its state; the rest of it is the kind's. */
export interface StrategyState {
  readonly generation: number;
  /** The highest serial in an id of its orders: it never falls. */
  readonly serial: number;
  readonly slots: readonly SlotState[];
  /** What fills have moved per asset, summed apart from the kind's own books: both have to agree. */
  readonly ledger: { readonly moved: Readonly<Record<string, Decimal>> };
  readonly refused: readonly Refusal[];
  readonly exit: Exit | null;
  readonly notices: readonly Notice[];
  /** The database's epoch that it has taken note of, null before its first pass, and its serial by then. */
  readonly epoch: number | null;
  readonly epochSerial?: number;
  /** Protocol time since which its market is closed, or not told by the venue. */
  readonly closedSince?: Millis;
  readonly unexplained?: Unexplained | null;
  /** Where its loss is limited, and why nothing more is placed: a loss of its own or of the account. */
  readonly loss?: LossWatch | null;
  readonly halted?: string | null;
  /** A person's resumes that it has taken note of. */
  readonly resumes?: number;
  /** A person's changes that it has taken note of: `config` is what the newest of them has made it. */
  readonly edits?: number;
  /** Protocol time from which a stop may leave the open orders: what was filled before it was asked is seen by then. */
  readonly releaseAt?: Millis;
  /** Protocol time until which nothing new is placed, because the database was restored. */
  readonly heldUntil: number;
}

/** What every state begins with, as far as the engine goes. */
export const NEW_STRATEGY_STATE = {
  generation: 0,
  serial: 0,
  refused: [],
  exit: null,
  notices: [],
  epoch: null,
  heldUntil: 0,
} as const;

/** What a strategy has made, in quote, marked at a price. Total = realized + unrealized, exactly. */
export interface Profit {
  readonly realized: Decimal;
  readonly unrealized: Decimal;
  readonly total: Decimal;
  /** Base held, and what it cost. */
  readonly position: Decimal;
  readonly cost: Decimal;
  /** Cost per base held; null without a position. */
  readonly averageCost: Decimal | null;
  /** Price at which the total is zero: (initial equity + fees in third assets − quote)/base; null without a position. */
  readonly breakEvenPrice: Decimal | null;
}

/** What its fills have come to since it began, in quote: of any kind of strategy. */
export interface Accounts extends Profit {
  /** All that was paid in fees, at the price of the mark. */
  readonly fees: Decimal;
  /** Completed cycles, and orders filled whole. */
  readonly cycles: number;
  readonly filledOrders: number;
}

/** What a strategy's fills do not explain, since which protocol time, and the order it begins with. */
export interface Unexplained {
  readonly order: string | null;
  readonly since: Millis | null;
  readonly assets: Readonly<Record<string, Decimal>>;
  /** Trades of its orders that cannot be booked as the venue tells them. */
  readonly trades?: readonly UnreadTrade[];
}

export interface UnreadTrade {
  /** Client id of the order that it is of. */
  readonly order: string;
  readonly trade: string;
  readonly reason: string;
}

export type RefusalReason =
  | "no_base"
  | "no_quote"
  | "below_minimum"
  | "would_self_cross"
  /** It would take, and nothing is there beside which it could rest. */
  | "would_take"
  | "inventory_missing"
  | "fills_missing"
  | "market_closed"
  | "rejected"
  /** The venue has not said whether it took the slot's order. */
  | "unclear"
  | "recovering"
  | "killed"
  | "low_confidence"
  | "max_position"
  | "min_position"
  | "safety_reserve"
  | LimitCode;

/** A slot that rests nothing, and why. */
export interface Refusal {
  readonly slot: number;
  readonly reason: RefusalReason;
  readonly detail?: string;
}

export const isSameRefusal = (a: Refusal, b: Refusal | undefined): boolean =>
  a.slot === b?.slot && a.reason === b.reason && a.detail === b.detail;

/** What a strategy says of itself beside its refused slots. */
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
    | "outside_depth";
  readonly message: string;
}

/** Selling all base, once orders have ended. A price that was reached is never taken back. */
export interface Exit {
  readonly reason: "stop" | "stop_loss" | "take_profit" | "loss";
  /** Of a price that was reached: the mid that was seen, and the price that was asked for. */
  readonly reached?: { readonly mid: Decimal; readonly price: Decimal };
  /** Base held when it began. */
  readonly held?: Decimal;
  /** Orders placed for it so far. */
  readonly tries: number;
  /** Protocol time since which the account shows less free base than there is to sell. */
  readonly lacksSince?: Millis;
}

/** Slots from here on are of the strategy as a whole: their orders take what is there now, and never rest. */
export const FIRST_WHOLE_SLOT = 1000;
export const EXIT_SLOT = FIRST_WHOLE_SLOT + 1;

/** Orders of the strategy as a whole take; a slot's order rests, and does nothing else unless told otherwise. */
export const timeInForceOf = (
  slot: number,
  { postOnly = true }: Pick<StrategyConfig, "postOnly">,
): TimeInForce => (slot >= FIRST_WHOLE_SLOT ? "ioc" : postOnly ? "post_only" : "gtc");
