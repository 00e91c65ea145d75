/** Alert channels and their messages. Times are protocol time. */

import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";

export const CHANNEL_KINDS = ["webhook", "telegram", "discord", "ntfy", "email", "browser"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** From least to most urgent. */
export const ALERT_LEVELS = ["info", "warning", "alert"] as const;
export type AlertLevel = (typeof ALERT_LEVELS)[number];

export const isAtLeast = (level: AlertLevel, least: AlertLevel): boolean =>
  ALERT_LEVELS.indexOf(level) >= ALERT_LEVELS.indexOf(least);

/** Hours of a day in which the channel sends only alerts; `to` can be before `from`, across midnight. */
export interface QuietHours {
  /** In minutes since midnight. */
  readonly from: number;
  readonly to: number;
  /** An IANA time zone, for example Europe/Berlin. */
  readonly zone: string;
}

/** Secrets of a channel; even an address is one, because its path can contain a token. */
export type ChannelSecrets = Readonly<Record<string, string>>;

/** The newest event and fill that the channel's digest includes. */
export interface NewsCursor {
  readonly event: number;
  readonly fill: number;
}

export interface Channel {
  readonly name: string;
  readonly kind: ChannelKind;
  /** The channel sends nothing below this level. */
  readonly level: AlertLevel;
  readonly quiet: QuietHours | null;
  /** Whether it sends daily reports, and the UTC day of the last one. */
  readonly isDaily: boolean;
  readonly reportedDay: number;
  readonly cursor: NewsCursor;
  /** News to send, and news sent recently. */
  readonly digest: Digest;
  /** When the receiver last accepted a message. */
  readonly sentAt: Millis;
  /** Consecutive failed attempts, and the time of the next attempt. */
  readonly failures: number;
  readonly retryAt: Millis;
  readonly error: string | null;
}

/** A message; every attempt sends the same one. */
export interface Message {
  /** Lets a receiver recognize a message that it already has. */
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
  /** Times of the first and the newest event in it. */
  readonly at: Millis;
  readonly until: Millis;
  readonly count: number;
  readonly amount: Decimal;
  readonly notional: Decimal;
  /** The pair, if the message lists fills; absent otherwise. */
  readonly fillsOf?: Pair | undefined;
  /** This news alone sends no message before this time. */
  readonly dueAt: Millis;
}

export interface Digest {
  readonly lines: readonly DigestLine[];
  /** Number of news items that did not fit. */
  readonly more: number;
  /** When news with each key was last sent. */
  readonly sentAt: Readonly<Record<string, Millis>>;
}

export const NO_DIGEST: Digest = { lines: [], more: 0, sentAt: {} };
