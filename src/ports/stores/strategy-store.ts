import type { StopWish } from "../../kernel/stop-flags.ts";
import type { Millis } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { By } from "../../model/events.ts";
import type { AccountMemory } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy, StrategyConfig, Wants } from "../../model/strategy.ts";
import type { CostDay } from "../../model/usage.ts";

export type NewStrategy = Omit<Strategy, "id" | "number" | "epoch" | "resumes" | "edit" | "edits"> & {
  /** The id without its millisecond, and the market time it should carry. */
  readonly prefix: string;
  /** Whether the switch is on by what this machine says, asked at the moment of the write. */
  readonly isKilledHere?: () => boolean;
};

export interface StrategyView<S extends Strategy = Strategy> {
  readonly strategy: S;
  readonly openOrders: number;
  readonly memory: AccountMemory;
  /** Protocol time of the account's last complete pass, and why the last one was not. */
  readonly steppedAt: Millis | null;
  readonly accountError: string | null;
  /** Who took the account's lease last. */
  readonly steppedBy: string | null;
  readonly costs: readonly CostDay[];
  readonly now: Millis;
}

export interface StrategyFilter {
  readonly id?: string | undefined;
  readonly request?: string | undefined;
  readonly account?: AccountKey | undefined;
  /** Of one kind alone, by its name. */
  readonly kind?: string | undefined;
  /** false: only those that are not stopped, whose number is all that it costs. */
  readonly stopped?: boolean;
  /** The newest so many, of those whose number is below `before`. */
  readonly page?: { readonly limit: number; readonly before?: number | undefined } | undefined;
}

export interface StrategyStore {
  /**
   * Stores it under a free millisecond at or after `startedAt`; the one that its `request` has started before, if it has.
   * Undefined where the kill switch has been turned on since it was looked at: nothing is stored.
   */
  createStrategy(strategy: NewStrategy, by: By): Promise<Strategy | undefined>;
  /**
   * Oldest first; a page newest first. However many there are: read in parts, each of one moment. One that runs all
   * the while is told, and once; one that starts or stops meanwhile may be missing or be told as it was.
   */
  strategies(filter: StrategyFilter): Promise<readonly StrategyView[]>;
  /** A stop also says whether it keeps the orders, or sells the base. */
  setWants(id: string, wants: Wants, how: StopWish, by: By): Promise<void>;
  /** Pauses or resumes it; a stop that was asked for stays. */
  setPaused(id: string, isPaused: boolean, by: By): Promise<void>;
  /** Asks it to be changed; false where another change has been asked for since the `after`th, or it stops. */
  setEdit(
    id: string,
    edit: { readonly config: StrategyConfig; readonly after: number; readonly told: string },
    by: By,
  ): Promise<boolean>;
  /** Open orders that a stop has left to the person. */
  releasedOrdersOf(strategy: string): Promise<readonly Order[]>;
}
