import type { Millis } from "../../kernel/time.ts";
import type { Alarm, StrategyDay } from "../../model/day.ts";
import type { EventTold, KeptEvent } from "../../model/events.ts";
import type { Fill } from "../../model/fill.ts";

/** One process's turn to look at everything. */
export interface Lookout {
  readonly now: Millis;
  /** When somebody has looked before, and who; 0 and nobody at first. */
  readonly before: Millis;
  readonly ownerBefore: string;
  /** Rows of this day and the one before. */
  readonly days: readonly StrategyDay[];
  readonly alarms: readonly Alarm[];
  /** Those that were not counted yet, oldest first. */
  readonly events: readonly (KeptEvent & { readonly id: number })[];
}

export type FillPlace = Pick<Fill, "account" | "symbol" | "at" | "tradeId">;

export interface ReportStore {
  /** Takes the turn, if nobody has had one for so long. */
  lookOut(asked: {
    readonly every: Millis;
    readonly owner: string;
    readonly page: number;
  }): Promise<Lookout | undefined>;
  /** The rows as they are now, and up to which event they count. */
  keepDays(days: readonly StrategyDay[], countedTo: number | undefined): Promise<void>;
  /** Tells of what is over as soon as it was. */
  tell(told: Pick<EventTold, "strategy" | "kind" | "message">): Promise<void>;
  /** Tells of it once, whoever asks. */
  raise(alarm: Alarm): Promise<void>;
  /** Tells that it is over, in the words of `message`. */
  clear(alarm: Alarm): Promise<void>;
  /** Rows of days from `from` to `to`. */
  /** Every fill there is, account by account and pair by pair, in the order of time. */
  fillsInOrder(after: FillPlace | undefined, limit: number): Promise<readonly Fill[]>;
  daysOf(from: number, to: number): Promise<{ readonly now: Millis; readonly days: readonly StrategyDay[] }>;
}
