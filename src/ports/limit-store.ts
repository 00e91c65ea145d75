import type { Decimal } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { LimitSettings } from "../limits/limits.ts";
import type { LimitUse, StoredLimits } from "../limits/standing.ts";
import type { By } from "../model/events.ts";

/** What an order is held against, read at once. */
export interface LimitsRead {
  /** Protocol time. */
  readonly now: Millis;
  readonly stored: StoredLimits;
  /** Newest rows of the scopes that were asked for. */
  readonly uses: readonly LimitUse[];
  /** Orders of the account that are not settled, and the asker's own among them. */
  readonly openOrders: number;
  readonly openOfActor: number;
}

export interface LimitStore {
  readLimits(of: {
    readonly scopes: readonly string[];
    readonly account: string;
    readonly actor: string;
  }): Promise<LimitsRead>;
  /** Sets one scope's limits unless any has changed since `version`, which answers false; the event says what was. */
  setLimits(
    change: {
      readonly version: number;
      readonly scope: string;
      readonly settings: LimitSettings;
      readonly message: string;
    },
    by: By,
  ): Promise<boolean>;
  /** Counts a use without an order against a scope's day; false when no room is left in `most`. */
  useLimit(use: {
    readonly scope: string;
    readonly asset: string;
    readonly notional: Decimal;
    readonly most: Decimal | null;
  }): Promise<boolean>;
}
