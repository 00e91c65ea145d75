import type { Millis } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { OrderState } from "../../model/order.ts";

export interface AccountReading {
  readonly account: AccountKey;
  /** Time of the last complete pass; null before the first. */
  readonly steppedAt: Millis | null;
  /** Duration of the last pass from its lease to its end. */
  readonly passMillis: Millis | null;
  /** Consecutive failed passes, and the time of the next attempt. */
  readonly failures: number;
  readonly retryAt: Millis;
  readonly isLeased: boolean;
  /** Whether a request waits for the lease. */
  readonly isAwaited: boolean;
  /** Time at which the account's rate limit is fully available again; null without a rate limit. */
  readonly rateFullAt: Millis | null;
}

/** Orders that are not settled. */
export interface OrderCount {
  readonly account: AccountKey;
  readonly state: OrderState;
  readonly count: number;
  /** Unsettled orders with missing fills. */
  readonly lacking: number;
  /** Unsettled orders that are still unknown after the deadline of their request. */
  readonly overdue: number;
}

export interface Readings {
  readonly now: Millis;
  readonly accounts: readonly AccountReading[];
  readonly orders: readonly OrderCount[];
  readonly fills: number;
  readonly events: number;
  readonly channels: readonly {
    readonly name: string;
    readonly failures: number;
    readonly pending: number;
    readonly dead: number;
  }[];
}

export interface MetricsStore {
  /** Reads the figures in one request. Its cost depends on running strategies only, not on history. */
  readings(): Promise<Readings>;
}
