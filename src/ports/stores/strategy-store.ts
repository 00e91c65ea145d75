import type { StopWish } from "../../kernel/stop-flags.ts";
import type { Millis } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { By } from "../../model/events.ts";
import type { AccountMemory } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy, StrategyConfig, Wants } from "../../model/strategy.ts";
import type { CostDay } from "../../model/usage.ts";

export type NewStrategy = Omit<Strategy, "id" | "number" | "epoch" | "resumes" | "edit" | "edits"> & {
  /** The id without its millisecond, and the market time to put into it. */
  readonly prefix: string;
  /** Whether this machine turns the kill switch on; evaluated at the moment of the write. */
  readonly isKilledHere?: () => boolean;
};

export interface StrategyView<S extends Strategy = Strategy> {
  readonly strategy: S;
  readonly openOrders: number;
  readonly memory: AccountMemory;
  /** Protocol time of the account's last complete pass, and the error of the last pass. */
  readonly steppedAt: Millis | null;
  readonly accountError: string | null;
  /** Last owner of the account's lease. */
  readonly steppedBy: string | null;
  readonly costs: readonly CostDay[];
  readonly now: Millis;
}

export interface StrategyFilter {
  readonly id?: string | undefined;
  readonly request?: string | undefined;
  readonly account?: AccountKey | undefined;
  /** Only strategies of this kind. */
  readonly kind?: string | undefined;
  /** false returns only strategies that are not stopped; the cost depends on their number alone. */
  readonly stopped?: boolean;
  /** Returns the newest strategies with a number below `before`. */
  readonly page?: { readonly limit: number; readonly before?: number | undefined } | undefined;
}

export interface StrategyStore {
  /**
   * Stores it under a free millisecond at or after `startedAt`, or returns the strategy that the same `request`
   * already started. Returns undefined, and stores nothing, if the kill switch was turned on since it was read.
   */
  createStrategy(strategy: NewStrategy, by: By): Promise<Strategy | undefined>;
  /**
   * Returns strategies oldest first; a page is newest first. Reads them in parts. A strategy that runs throughout
   * appears exactly once; one that starts or stops meanwhile can be missing or outdated.
   */
  strategies(filter: StrategyFilter): Promise<readonly StrategyView[]>;
  /** Returns the strategies with a name, oldest first. */
  strategiesNamed(name: string): Promise<readonly Pick<Strategy, "id" | "status">[]>;
  /** Renames a strategy; null takes its name away. */
  rename(id: string, name: string | null, by: By): Promise<void>;
  /** Requests a stop, which can leave the orders open or sell the base. */
  setWants(id: string, wants: Wants, how: StopWish, by: By): Promise<void>;
  /** Pauses or resumes a strategy. A requested stop stays in effect. */
  setPaused(id: string, isPaused: boolean, by: By): Promise<void>;
  /** Requests a change; returns false if another change followed change number `after`, or if the strategy stops. */
  setEdit(
    id: string,
    edit: { readonly config: StrategyConfig; readonly after: number; readonly description: string },
    by: By,
  ): Promise<boolean>;
  /** Returns open orders that a stop left on the exchange. */
  releasedOrdersOf(strategy: string): Promise<readonly Order[]>;
}
