import type { Decimal } from "../../kernel/decimal.ts";
import type { By } from "../../model/events.ts";
import type { LimitSettings, LimitsRead, LimitsRequest } from "../../model/limits.ts";

export interface LimitStore {
  readLimits(of: LimitsRequest): Promise<LimitsRead>;
  /** Sets the limits of one scope, and logs the old values. Returns false if any limit has changed since `version`. */
  setLimits(
    change: {
      readonly version: number;
      readonly scope: string;
      readonly settings: LimitSettings;
      readonly message: string;
    },
    by: By,
  ): Promise<boolean>;
  /** Counts a use without an order toward a scope's limit for the day. Returns false if it would exceed `most`. */
  useLimit(use: {
    readonly scope: string;
    readonly asset: string;
    readonly notional: Decimal;
    readonly most: Decimal | null;
  }): Promise<boolean>;
}
