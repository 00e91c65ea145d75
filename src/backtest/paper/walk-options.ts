import type { Balance } from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import type { Rules } from "../tape/rules.ts";

export interface WalkOptions {
  readonly market: Market;
  readonly rules: Rules;
  readonly balances: readonly Balance[];
  /** Whether to run every pass, even those that cannot change anything. */
  readonly everyPass?: boolean;
  /** Whether to use whole numbers when only the grid's own fills can happen. */
  readonly mayLeap?: boolean;
  /** Called before each bar; true ends the run. */
  readonly isOver?: ((bars: number) => boolean) | undefined;
}
