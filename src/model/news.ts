import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey } from "./account.ts";
import type { AlertLevel } from "./channel.ts";
import type { EventKind } from "./events.ts";
import type { Side } from "./market.ts";

export interface TellableEvent {
  readonly id: number;
  readonly account: AccountKey;
  readonly strategy: string | null;
  readonly at: Millis;
  readonly kind: EventKind;
  readonly message: string;
}

export interface TellableFill {
  /** Its place in the order in which fills were booked. */
  readonly number: number;
  readonly account: AccountKey;
  readonly strategy: string | null;
  readonly symbol: Pair;
  readonly side: Side;
  readonly amount: Decimal;
  readonly notional: Decimal;
  readonly at: Millis;
  /** It was booked before, from the order itself. */
  readonly isSuperseded: boolean;
}

/** One thing to tell. What has the same key is told once, with how often it was. */
export interface News {
  readonly key: string;
  readonly level: AlertLevel;
  readonly text: string;
  readonly at: Millis;
  /** Of fills, which are added up. */
  readonly fill?: { readonly symbol: Pair; readonly amount: Decimal; readonly notional: Decimal };
}

/** Of kinds that are not here nobody is told: they are what a person has just asked for, and the trail of it. */
const LEVEL_OF: Partial<Record<EventKind, AlertLevel>> = {
  started: "info",
  server: "info",
  cycle: "info",
  wants: "info",
  edited: "info",
  moved: "info",
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
  unreadable: "alert",
  error: "alert",
  kill: "alert",
};

/** How much a kind of event is worth telling; undefined where nobody is told. */
export function levelOf(kind: EventKind, message: string): AlertLevel | undefined {
  if (kind === "status") return / to error\b/.test(message) ? "alert" : "warning";
  if (kind === "watch") return message.endsWith("again") ? "warning" : "alert";
  return LEVEL_OF[kind];
}
