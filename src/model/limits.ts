import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";

/** By quote asset, each in its own units. */
export type Amounts = Readonly<Record<string, Decimal>>;

/** What orders are held to. A limit that is left out holds nothing; docs/limits.md says how each one counts. */
export interface Limits {
  /** The most notional of one order, and of all of one day of UTC. An asset that is not named may not be traded in. */
  readonly orderNotional?: Amounts | undefined;
  readonly dayNotional?: Amounts | undefined;
  /** Orders that may rest, or wait to be looked up, at once. */
  readonly openOrders?: number | undefined;
  /** Pairs in which orders are placed at all. */
  readonly symbols?: readonly Pair[] | undefined;
  /** How far through the mid an order may execute, in percent of it. */
  readonly collarPercent?: Decimal | undefined;
  /** How old the price may be on which an order is placed. */
  readonly priceAgeMillis?: Millis | undefined;
  /** Least time from one order to the next. */
  readonly orderGapMillis?: Millis | undefined;
  /** The most that one strategy, or all of an account, may lose from its best result so far. */
  readonly strategyLoss?: Amounts | undefined;
  readonly accountLoss?: Amounts | undefined;
  /** What a loss beyond its limit does to the strategies that it is of. */
  readonly onLoss?: OnLoss | undefined;
}

export type OnLoss = "pause" | "stop";

export type LimitName = keyof Limits;

/** As they were set: null takes a default away. */
export type LimitSettings = { readonly [N in LimitName]?: Limits[N] | null };

/** What orders have used of limits so far. */
export interface Used {
  /** Protocol time. */
  readonly now: Millis;
  /** Notional of the day's orders, by quote asset. */
  readonly today: Amounts;
  /** Null where no limit asks how many there are: then they are not counted. */
  readonly openOrders: number | null;
  /** Protocol time of the newest order. */
  readonly lastAt: Millis | null;
}

/** The limits of an account or of a token, and what it has used of them. */
export interface Standing {
  /** Under which its orders are counted. */
  readonly scope: string;
  /** The token whose own open orders count; null for all of the account. */
  readonly actor: string | null;
  readonly limits: Limits;
  readonly used: Used;
}

export type LimitCode =
  | "limit_order"
  | "limit_day"
  | "limit_open_orders"
  | "limit_symbol"
  | "limit_collar"
  | "limit_price_age"
  | "limit_gap"
  | "limit_unknown"
  | "limit_exposure"
  | "limit_loss";

/** Limits as they are stored. */
export interface StoredLimits {
  /** Counts every change: an order is recorded only under the limits by which it was allowed. */
  readonly version: number;
  readonly set: Readonly<Record<string, LimitSettings>>;
}

/** What a scope's orders of one day and quote asset have used. */
export interface LimitUse {
  readonly scope: string;
  readonly day: number;
  readonly asset: string;
  readonly notional: Decimal;
  readonly orders: number;
  /** Protocol time of the newest order. */
  readonly at: Millis;
}

/** What has to hold in the statement that records orders, as others may have placed some meanwhile. */
export interface LimitTerms {
  readonly version: number;
  /** The quote asset of the orders, in which they are counted. */
  readonly asset: string;
  readonly scopes: readonly ScopeTerms[];
  /** Notional by client id. */
  readonly counted: Readonly<Record<string, Decimal>>;
}

export interface ScopeTerms {
  readonly scope: string;
  /** Whose open orders count: a token's own, or all of the account. */
  readonly actor: string | null;
  readonly dayNotional: Decimal | null;
  readonly openOrders: number | null;
  readonly orderGapMillis: Millis | null;
}

/** All that an order is held to, as it was read at once. */
export interface Standings {
  readonly version: number;
  readonly all: readonly Standing[];
}

/** The same, and when it was read, in protocol time. */
export interface StandingsRead extends Standings {
  readonly now: Millis;
}

/** The limits that the orders of one pass, or of one preview, are held to. */
export interface Bounds {
  readonly standings: Standings;
  /** Market time by which a price's age is told; undefined where prices are simulated. */
  readonly now: Millis | undefined;
}

export interface LimitRefusal {
  readonly reason: LimitCode;
  /** The limit, its value, what the order was, and how to change that. */
  readonly detail: string;
}

/** What an order is held against, read at once. */
export interface LimitsRead {
  /** Protocol time. */
  readonly now: Millis;
  readonly stored: StoredLimits;
  /** Newest rows of the scopes that were asked for. */
  readonly uses: readonly LimitUse[];
  /** Orders of the account that are not settled, and the asker's own among them; null where nothing limits them. */
  readonly openOrders: number | null;
  readonly openOfActor: number | null;
}

/** Whose limits: of scopes, and of the orders that `actor` has on an account. */
export interface LimitsRequest {
  readonly scopes: readonly string[];
  readonly account: string;
  readonly actor: string;
  /** Open orders are told even where no stored limit asks for them. */
  readonly countsOpen?: boolean;
}
