import type { Balance } from "../model/account.ts";
import type { Market } from "../model/market.ts";
import type { Rules } from "./rules.ts";

export interface WalkOptions {
  readonly market: Market;
  readonly rules: Rules;
  readonly balances: readonly Balance[];
  /** Makes every pass, those too that cannot change anything. */
  readonly everyPass?: boolean;
  /** Goes on in whole numbers once nothing but the grid's own fills can happen. */
  readonly mayLeap?: boolean;
  /** Asked before each bar that is walked: true ends the walk. */
  readonly isOver?: ((bars: number) => boolean) | undefined;
}
