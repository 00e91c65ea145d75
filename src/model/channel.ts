/** Where a person is told what happens, and how. Times are protocol time. */

import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";

export const CHANNEL_KINDS = ["webhook", "telegram", "discord", "ntfy", "email"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** From what everybody may sleep through to what somebody has to get up for. */
export const ALERT_LEVELS = ["info", "warning", "alert"] as const;
export type AlertLevel = (typeof ALERT_LEVELS)[number];

export const isAtLeast = (level: AlertLevel, least: AlertLevel): boolean =>
  ALERT_LEVELS.indexOf(level) >= ALERT_LEVELS.indexOf(least);

/** Hours of a day in which only alerts are told; `to` may be before `from`, over midnight. */
export interface QuietHours {
  /** Minutes of the day. */
  readonly from: number;
  readonly to: number;
  /** An IANA name, for example Europe/Berlin. */
  readonly zone: string;
}

/** What opens a channel, all of it secret: an address may carry a token in its path. */
export type ChannelSecrets = Readonly<Record<string, string>>;

/** How far a channel has been told: the newest event and fill that its digest has taken in. */
export interface NewsCursor {
  readonly event: number;
  readonly fill: number;
}

export interface Channel {
  readonly name: string;
  readonly kind: ChannelKind;
  /** Nothing below it is told. */
  readonly level: AlertLevel;
  readonly quiet: QuietHours | null;
  /** Whether it is told the report of each day, and the last day of UTC of which it was. */
  readonly isDaily: boolean;
  readonly reportedDay: number;
  readonly cursor: NewsCursor;
  /** What is to be told, and what was told lately. */
  readonly held: Digest;
  /** When a message was last accepted. */
  readonly sentAt: Millis;
  /** Tries in a row that came to nothing, and until when there is no other. */
  readonly failures: number;
  readonly retryAt: Millis;
  readonly error: string | null;
}

/** What is sent, the same at every try. */
export interface Message {
  /** Tells a receiver that it has had this one before. */
  readonly id: string;
  readonly kind: "news" | "report" | "test";
  readonly level: AlertLevel;
  readonly title: string;
  readonly lines: readonly string[];
  readonly at: Millis;
}

export interface DigestLine {
  readonly key: string;
  readonly level: AlertLevel;
  readonly text: string;
  /** Of the first and of the newest that it tells of. */
  readonly at: Millis;
  readonly until: Millis;
  readonly count: number;
  readonly amount: Decimal;
  readonly notional: Decimal;
  /** The pair of fills; absent of anything else. */
  readonly fillsOf?: Pair | undefined;
  /** Before it nobody is told for this alone. */
  readonly dueAt: Millis;
}

export interface Digest {
  readonly lines: readonly DigestLine[];
  /** What no line has room for. */
  readonly more: number;
  /** When what has this key was last told. */
  readonly told: Readonly<Record<string, Millis>>;
}

export const NO_DIGEST: Digest = { lines: [], more: 0, told: {} };
