import type { Millis } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { OrderState } from "../../model/order.ts";

export interface AccountReading {
  readonly account: AccountKey;
  /** Of the last complete pass; null before the first. */
  readonly steppedAt: Millis | null;
  /** Duration of the last pass from its lease to its end. */
  readonly passMillis: Millis | null;
  /** Failed passes in a row, and until when there is no other. */
  readonly failures: number;
  readonly retryAt: Millis;
  readonly isLeased: boolean;
  /** Somebody waits for the lease. */
  readonly isAwaited: boolean;
  /** When the account's rate of calls is whole again; null where none is kept. */
  readonly rateFullAt: Millis | null;
}

/** Orders that are not settled. */
export interface OrderCount {
  readonly account: AccountKey;
  readonly state: OrderState;
  readonly count: number;
  /** Of them, those whose executions are not all known. */
  readonly lacking: number;
  /** Of them, those that nobody has heard of though no request of ours can take effect any more. */
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
  /** One request, whose cost is what runs now and never what was. */
  readings(): Promise<Readings>;
}
