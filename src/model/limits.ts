import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import { DAY, type Millis, stampOf } from "../kernel/time.ts";

/** Amounts by quote asset, each in units of that asset. */
export type Amounts = Readonly<Record<string, Decimal>>;

/** Limits for orders. An absent limit does not restrict anything; docs/limits.md explains how each one counts. */
export interface Limits {
  /** Maximum notional of one order, and of all orders in one UTC day. Orders in an asset that is not listed are refused. */
  readonly orderNotional?: Amounts | undefined;
  readonly dayNotional?: Amounts | undefined;
  /** Maximum number of orders that are open or unconfirmed at once. */
  readonly openOrders?: number | undefined;
  /** Pairs in which orders are allowed. */
  readonly symbols?: readonly Pair[] | undefined;
  /** How far beyond the mid price an order can execute, in percent of the mid. */
  readonly collarPercent?: Decimal | undefined;
  /** Maximum age of the price that an order is based on. */
  readonly priceAgeMillis?: Millis | undefined;
  /** Minimum time between two orders. */
  readonly orderGapMillis?: Millis | undefined;
  /** Maximum loss of one strategy, or of an account, from its best result so far. */
  readonly strategyLoss?: Amounts | undefined;
  readonly accountLoss?: Amounts | undefined;
  /** What happens to the strategies of a loss beyond its limit. */
  readonly onLoss?: OnLoss | undefined;
}

type OnLoss = "pause" | "stop";

export type LimitName = keyof Limits;

/** Limits as a user set them; null removes a default. */
export type LimitSettings = { readonly [N in LimitName]?: Limits[N] | null };

/** Usage of limits so far. */
export interface UsedAmounts {
  /** Protocol time. */
  readonly now: Millis;
  /** Notional of today's orders, by quote asset. */
  readonly today: Amounts;
  /** Null if no limit needs the number; then it is not counted. */
  readonly openOrders: number | null;
  /** Protocol time of the newest order. */
  readonly lastAt: Millis | null;
}

/** Limits of an account or a token, and their usage. */
export interface LimitUsage {
  /** Scope under which its orders count. */
  readonly scope: string;
  /** The token whose own open orders count; null for all of the account. */
  readonly actor: string | null;
  readonly limits: Limits;
  readonly used: UsedAmounts;
}

export const LIMIT_CODES = [
  "limit_order",
  "limit_day",
  "limit_open_orders",
  "limit_symbol",
  "limit_collar",
  "limit_price_age",
  "limit_gap",
  "limit_unknown",
  "limit_exposure",
  "limit_loss",
] as const;

export type LimitCode = (typeof LIMIT_CODES)[number];

/** Limits as they are stored. */
export interface StoredLimits {
  /** Increases with every change. An order is recorded only under the limits that allowed it. */
  readonly version: number;
  readonly set: Readonly<Record<string, LimitSettings>>;
}

/** Usage of a scope's limits by the orders of one day and quote asset. */
export interface LimitUse {
  readonly scope: string;
  readonly day: number;
  readonly asset: string;
  readonly notional: Decimal;
  readonly orders: number;
  /** Protocol time of the newest order. */
  readonly at: Millis;
}

/** Conditions that the statement that records orders checks again, because others can place orders meanwhile. */
export interface LimitTerms {
  readonly version: number;
  /** Quote asset in which the orders count. */
  readonly asset: string;
  readonly scopes: readonly ScopeTerms[];
  /** Notional by client id. */
  readonly counted: Readonly<Record<string, Decimal>>;
}

export interface ScopeTerms {
  readonly scope: string;
  /** The token whose own open orders count; null for all of the account. */
  readonly actor: string | null;
  readonly dayNotional: Decimal | null;
  readonly openOrders: number | null;
  readonly orderGapMillis: Millis | null;
}

/** All limits that apply to an order, read at one moment. */
export interface Standings {
  readonly version: number;
  readonly all: readonly LimitUsage[];
}

/** The same with the protocol time of the read. */
export interface StandingsRead extends Standings {
  readonly now: Millis;
}

/** Notional of the largest buy and sell of a strategy, in quote. */
export interface LargestOrders {
  readonly buy: Decimal;
  readonly sell: Decimal;
}

/** Limits for the orders of one pass or one preview. */
export interface Bounds {
  readonly standings: Standings;
  /** Market time for the age of prices; undefined if prices are simulated. */
  readonly now: Millis | undefined;
}

export interface LimitRefusal {
  readonly reason: LimitCode;
  /** The limit, its value, the order's value, and how to change the limit. */
  readonly detail: string;
}

/** Data for checking an order against limits, read at one moment. */
export interface LimitsRead {
  /** Protocol time. */
  readonly now: Millis;
  readonly stored: StoredLimits;
  /** Newest rows of the requested scopes. */
  readonly uses: readonly LimitUse[];
  /** Unsettled orders of the account, and the actor's own among them; null if no limit needs them. */
  readonly openOrders: number | null;
  readonly openOfActor: number | null;
}

/** Scopes whose limits to read, and the account and actor whose orders count. */
export interface LimitsRequest {
  readonly scopes: readonly string[];
  readonly account: string;
  readonly actor: string;
  /** Whether to count open orders even if no stored limit needs them. */
  readonly countsOpen?: boolean;
}

/** Usage of passes, counted as platforms bill it. Rows are null if the database does not report them: unknown is not zero. */
interface Cost {
  readonly exchangeCalls: number;
  readonly databaseRequests: number;
  readonly rowsRead: number | null;
  readonly rowsWritten: number | null;
}

/** Usage of an account on one UTC day, from its first pass to its last, by strategy. */
export interface CostDay {
  readonly day: number;
  readonly from: Millis;
  readonly to: Millis;
  readonly of: Readonly<Record<string, Cost>>;
}

/** Requests to a database, added up as they are made. */
export type DatabaseUse = { -readonly [name in Exclude<keyof Cost, "exchangeCalls">]: Cost[name] };

export const newUse = (): DatabaseUse => ({ databaseRequests: 0, rowsRead: 0, rowsWritten: 0 });

const NO_COST: Cost = { exchangeCalls: 0, databaseRequests: 0, rowsRead: 0, rowsWritten: 0 };
const DAYS_KEPT = 2;

/** Returns the newest days with one more pass. Strategies share the cost of common requests equally. */
export function withPass(
  days: readonly CostDay[],
  at: Millis,
  { strategies, calls, use }: { strategies: readonly string[]; calls: VenueCalls; use: DatabaseUse },
): readonly CostDay[] {
  const day = Math.floor(at / DAY);
  const today = days.find((costDay) => costDay.day === day) ?? { day, from: at, to: at, of: {} };
  const own = Object.values(calls.own).reduce((sum, count) => sum + count, 0);
  const share = 1 / Math.max(1, strategies.length);
  const of = { ...today.of };
  for (const id of strategies) {
    const pass: Cost = {
      exchangeCalls: (calls.made - own) * share + (calls.own[id] ?? 0),
      databaseRequests: use.databaseRequests * share,
      rowsRead: use.rowsRead === null ? null : use.rowsRead * share,
      rowsWritten: use.rowsWritten === null ? null : use.rowsWritten * share,
    };
    of[id] = addCosts(of[id] ?? NO_COST, pass);
  }
  const kept = days.filter((costDay) => costDay.day !== day && costDay.day > day - DAYS_KEPT);
  return [{ ...today, to: Math.max(today.to, at), of }, ...kept];
}

// Rounds thirds of a request, so the stored text stays short.
const roundCount = (count: number): number => Math.round(count * 1e4) / 1e4;

const addCosts = (a: Cost, b: Cost): Cost => ({
  exchangeCalls: roundCount(a.exchangeCalls + b.exchangeCalls),
  databaseRequests: roundCount(a.databaseRequests + b.databaseRequests),
  rowsRead: a.rowsRead === null || b.rowsRead === null ? null : roundCount(a.rowsRead + b.rowsRead),
  rowsWritten:
    a.rowsWritten === null || b.rowsWritten === null ? null : roundCount(a.rowsWritten + b.rowsWritten),
});

export const dateOf = (day: number): string => stampOf(day * DAY).slice(0, 10);

/** Calls to the exchange in a pass. */
export interface VenueCalls {
  readonly made: number;
  /** Calls for one strategy's orders only, by its id. */
  readonly own: Readonly<Record<string, number>>;
}
