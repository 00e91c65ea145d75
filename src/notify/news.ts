/** Events and fills as a person is told of them. */

import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import { plainText } from "../kernel/plain-text.ts";
import type { Millis } from "../kernel/time.ts";
import type { EventKind } from "../model/events.ts";
import { type AccountKey, parseAccountKey } from "../model/records.ts";
import type { Side } from "../ports/deps.ts";
import type { Level } from "./channel.ts";

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
  readonly level: Level;
  readonly text: string;
  readonly at: Millis;
  /** Of fills, which are added up. */
  readonly fill?: { readonly amount: Decimal; readonly notional: Decimal };
}

/** Of kinds that are not here nobody is told: they are what a person has just asked for, and the trail of it. */
const LEVEL_OF: Partial<Record<EventKind, Level>> = {
  started: "info",
  cycle: "info",
  wants: "info",
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

/** Undefined where nobody is told. */
export function eventNews({ account, strategy, at, kind, message }: TellableEvent): News | undefined {
  const level = levelOf(kind, message);
  if (level === undefined) return undefined;
  const who = strategy ?? (account === "" ? "" : placeOf(account));
  const text = plainText(`${who}${who === "" ? "" : ": "}${wordOf(kind)}${message}`, 300);
  return { key: `${kind} ${who} ${withoutIds(message)}`, level, text, at };
}

function levelOf(kind: EventKind, message: string): Level | undefined {
  if (kind === "status") return / to error\b/.test(message) ? "alert" : "warning";
  if (kind === "watch") return message.endsWith("again") ? "warning" : "alert";
  return LEVEL_OF[kind];
}

const WORDS: Partial<Record<EventKind, string>> = {
  started: "started on ",
  wants: "asked to ",
  lost: "order lost, ",
  rejected: "order refused, ",
  adopted: "order adopted, ",
  made_way: "made way, ",
  unreadable: "unreadable, ",
  error: "error, ",
  kill: "kill switch: ",
  limits: "limits: ",
  token: "API token ",
};
const wordOf = (kind: EventKind): string => WORDS[kind] ?? "";

// Each order has an id of its own; what is said of it is the same.
const withoutIds = (message: string): string => message.replaceAll(/\b(em[0-9a-z]{16}|\d+)\b/g, "#");

const placeOf = (account: AccountKey): string => {
  const { exchange, kind } = parseAccountKey(account);
  return kind === "dry" ? `${exchange}, on paper` : exchange;
};

export const fillNews = ({ account, strategy, symbol, side, amount, notional, at }: TellableFill): News => ({
  key: `fill ${strategy ?? account} ${side}`,
  level: "info",
  text: `${strategy ?? `${placeOf(account)}, by hand`}: ${side === "buy" ? "bought" : "sold"} ${symbol}`,
  at,
  fill: { amount, notional },
});
