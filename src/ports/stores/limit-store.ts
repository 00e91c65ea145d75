import type { Decimal } from "../../kernel/decimal.ts";
import type { By } from "../../model/events.ts";
import type { LimitSettings, LimitsAsked, LimitsRead } from "../../model/limits.ts";

export interface LimitStore {
  readLimits(of: LimitsAsked): Promise<LimitsRead>;
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
