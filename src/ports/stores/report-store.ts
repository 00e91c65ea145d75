import type { Millis } from "../../kernel/time.ts";
import type { Alarm, StrategyDay } from "../../model/day.ts";
import type { EventView, KeptEvent } from "../../model/events.ts";
import type { Fill } from "../../model/fill.ts";

/** One process's turn to check all alarms. */
export interface Lookout {
  readonly now: Millis;
  /** Time and owner of the previous check; 0 and empty before the first. */
  readonly before: Millis;
  readonly ownerBefore: string;
  /** Rows of today and yesterday. */
  readonly days: readonly StrategyDay[];
  readonly alarms: readonly Alarm[];
  /** Uncounted events, oldest first. */
  readonly events: readonly (KeptEvent & { readonly id: number })[];
}

export type FillPlace = Pick<Fill, "account" | "symbol" | "at" | "tradeId">;

export interface ReportStore {
  /** Takes the turn if the last one is long enough ago. */
  lookOut(request: {
    readonly every: Millis;
    readonly owner: string;
    readonly page: number;
  }): Promise<Lookout | undefined>;
  /** Stores the rows, and the last event that they include. */
  keepDays(days: readonly StrategyDay[], countedTo: number | undefined): Promise<void>;
  /** Records an alarm that started and ended at once. */
  tell(result: Pick<EventView, "strategy" | "kind" | "message">): Promise<void>;
  /** Reports an alarm once, even if several processes find it. */
  raise(alarm: Alarm): Promise<void>;
  /** Reports the end of an alarm with `message`. */
  clear(alarm: Alarm): Promise<void>;
  /** Returns all fills, by account, pair and time. */
  fillsInOrder(after: FillPlace | undefined, limit: number): Promise<readonly Fill[]>;
  /** Returns rows of the days `from` to `to`, inclusive, and the names and kinds of their strategies by id. */
  daysOf(
    from: number,
    to: number,
  ): Promise<{
    readonly now: Millis;
    readonly days: readonly StrategyDay[];
    readonly named: ReadonlyMap<string, { readonly name: string | null; readonly kind: string | null }>;
  }>;
}
