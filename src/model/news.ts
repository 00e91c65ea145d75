import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey } from "./account.ts";
import type { AlertLevel } from "./channel.ts";
import type { Event, EventKind } from "./events.ts";
import type { Side } from "./market.ts";

export interface ReportableEvent extends Event {
  readonly id: number;
  /** Current name of the strategy. */
  readonly name?: string | null;
}

export interface ReportableFill {
  /** Its position in the order in which fills were booked. */
  readonly number: number;
  readonly account: AccountKey;
  readonly strategy: string | null;
  readonly name?: string | null;
  readonly symbol: Pair;
  readonly side: Side;
  readonly amount: Decimal;
  readonly notional: Decimal;
  readonly at: Millis;
  /** Its amount was already booked from the order itself. */
  readonly isSuperseded: boolean;
}

/** One item of news. Items with the same key are sent once, with their number. */
export interface News {
  readonly key: string;
  readonly level: AlertLevel;
  readonly text: string;
  readonly at: Millis;
  /** For fills, whose amounts are added up. */
  readonly fill?: { readonly symbol: Pair; readonly amount: Decimal; readonly notional: Decimal };
}

/** Level of each event kind. Kinds that are not listed send no alert: they record what a person just requested. */
const LEVEL_OF: Partial<Record<EventKind, AlertLevel>> = {
  started: "info",
  server: "info",
  cycle: "info",
  wants: "info",
  edited: "info",
  moved: "info",
  rounded: "info",
  made_way: "info",
  limits: "warning",
  lost: "warning",
  rejected: "warning",
  adopted: "warning",
  token: "warning",
  wrong_tokens: "warning",
  notice: "warning",
  recovered: "warning",
  exit: "alert",
  alarm: "alert",
  waits: "alert",
  unreadable: "alert",
  error: "alert",
  kill: "alert",
};

/** Returns the alert level of an event kind; undefined if it sends no alert. */
export function levelOf(kind: EventKind, message: string): AlertLevel | undefined {
  if (kind === "status") return / to error\b/.test(message) ? "alert" : "warning";
  if (kind === "watch") return message.endsWith("again") ? "warning" : "alert";
  return LEVEL_OF[kind];
}

/** Totals since the strategy started, in quote. */
export interface DayTotals {
  readonly total: Decimal;
  readonly realized: Decimal;
  readonly fees: Decimal;
  readonly cycles: number;
  readonly filledOrders: number;
  readonly symbol: string;
}

export interface StrategyDay {
  readonly strategy: string;
  readonly day: number;
  readonly account: AccountKey;
  readonly opened: DayTotals;
  readonly latest: DayTotals;
  readonly from: Millis;
  readonly to: Millis;
  readonly upMillis: Millis;
  readonly inRangeMillis: Millis;
  readonly incidents: number;
  readonly isFinal: boolean;
}

export interface Alarm {
  readonly key: string;
  readonly strategy: string | null;
  readonly kind: "alarm" | "notice";
  readonly message: string;
}
