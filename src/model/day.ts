import type { Decimal } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey } from "./account.ts";

/** Totals since the strategy started, in quote. */
export interface DayTotals {
  readonly total: Decimal;
  readonly realized: Decimal;
  readonly fees: Decimal;
  readonly cycles: number;
  readonly filledOrders: number;
  readonly symbol: string;
}

export interface StrategyDay {
  readonly strategy: string;
  readonly day: number;
  readonly account: AccountKey;
  readonly opened: DayTotals;
  readonly latest: DayTotals;
  readonly from: Millis;
  readonly to: Millis;
  readonly upMillis: Millis;
  readonly inRangeMillis: Millis;
  readonly incidents: number;
  readonly isFinal: boolean;
}

export interface Alarm {
  readonly key: string;
  readonly strategy: string | null;
  readonly kind: "alarm" | "notice";
  readonly message: string;
}
