/** Alert channels as users configure and see them; their secrets are stored and never shown again. */

import type { Millis } from "../kernel/time.ts";
import type { AlertLevel, ChannelKind, ChannelSecrets, Message, QuietHours } from "../model/channel.ts";
import { type LeadsInward, type OutboundRequest, refusedAddress } from "../ports/outbound.ts";
import { MAIL_PROTOCOLS, mailTrouble } from "./mail.ts";
import type { ChannelReport } from "./store.ts";

export const CHANNEL_NAME = /^[a-z0-9][a-z0-9-]{0,30}$/;
export const CHANNEL_NAME_FORM = "a channel name must be 1 to 31 characters of a-z, 0-9 and -";
export const QUIET_FORM = 'hours such as 22:00-07:00, or "22:00-07:00 Europe/Berlin"';

const timeOfDay = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");

export const quietText = ({ from, to, zone }: QuietHours): string =>
  `${timeOfDay(from)}-${timeOfDay(to)} ${zone}`;

/** Returns a channel's status without its secrets. */
export const describeChannel = ({ channel, pending, dead }: ChannelReport) => ({
  channel: channel.name,
  kind: channel.kind,
  level: channel.level,
  quiet: channel.quiet ? quietText(channel.quiet) : null,
  daily: channel.isDaily,
  sentAt: channel.sentAt === 0 ? null : channel.sentAt,
  waiting: pending,
  givenUp: dead,
  error: channel.error,
});

/** Secrets of each kind, in the order of the prompts; optional ones end in `?`. */
export const SECRETS_OF: Readonly<Record<ChannelKind, readonly string[]>> = {
  webhook: ["url"],
  telegram: ["bot token", "chat id", "server?"],
  discord: ["url"],
  ntfy: ["url", "access token?"],
  email: ["server", "user?", "password?", "from", "to"],
  // What a browser creates for one page; `from` is that page's address.
  browser: ["url", "browser key", "browser secret", "sender key", "from?"],
};

/** Returns the secret fields of a kind as a request names them: `bot token` is botToken. */
export const secretFieldsOf = (kind: ChannelKind): readonly SecretField[] =>
  SECRETS_OF[kind].map((text) => {
    const name = text.replace("?", "");
    return {
      name,
      isNeeded: name === text,
      field: name.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase()),
    };
  });

interface SecretField {
  /** Name in storage and in prompts. */
  readonly name: string;
  readonly field: string;
  readonly isNeeded: boolean;
}

/** Rules for where messages can go. */
export interface ChannelRules {
  /** Hosts in the operator's settings. */
  readonly hosts: readonly string[];
  readonly inward?: LeadsInward | undefined;
}

/** Returns why these secrets are invalid for this kind; undefined if they are valid. */
export async function refusedSecrets(
  kind: ChannelKind,
  secrets: ChannelSecrets,
  { hosts, inward }: ChannelRules,
): Promise<string | undefined> {
  const url = urlOf(kind, secrets);
  if (!url)
    return kind === "email"
      ? "the server must be a complete address, for example smtps://mail.example.org"
      : "the url must be a complete address, for example https://hooks.example/edgemaker";
  if (kind === "browser" && !areKeysOfBrowser(secrets))
    return "a browser creates its own keys: use the page Alerts in that browser";
  const refused =
    kind === "email"
      ? (mailTrouble(secrets) ?? refusedAddress(url, hosts, MAIL_PROTOCOLS))
      : refusedAddress(url, hosts);
  return refused ?? (hosts.includes(url.host) ? undefined : inward?.(url.hostname));
}

/** The sender's key pair: the public point and the private number, each as base64url, with a point between. */
export const SENDER_KEY = /^([\w-]{87})\.([\w-]{43})$/;

/** A point and a secret as base64url, and the pair of keys that the page creates. */
const areKeysOfBrowser = (secrets: ChannelSecrets): boolean =>
  /^[\w-]{87}$/.test(secrets["browser key"] ?? "") &&
  /^[\w-]{22}$/.test(secrets["browser secret"] ?? "") &&
  SENDER_KEY.test(secrets["sender key"] ?? "");

function urlOf(kind: ChannelKind, secrets: ChannelSecrets): URL | undefined {
  try {
    return addressOf(kind, secrets);
  } catch {
    return undefined;
  }
}

const DAY_MINUTES = 24 * 60;

/** Parses `22:00-07:00` with an optional time zone, UTC by default; undefined if it is invalid. */
export function parseQuiet(text: string): QuietHours | undefined {
  const [, fromHour, fromMinute, toHour, toMinute, zone = "UTC"] =
    /^(\d{2}):(\d{2})-(\d{2}):(\d{2})(?: ([A-Za-z0-9_+/-]{1,60}))?$/.exec(text) ?? [];
  const [from, to] = [minutesOf(fromHour, fromMinute), minutesOf(toHour, toMinute)];
  if (from === undefined || to === undefined || from === to || !isZone(zone)) return undefined;
  return { from, to, zone };
}

function minutesOf(hour: string | undefined, minute: string | undefined): number | undefined {
  const minutes = Number(hour) * 60 + Number(minute);
  return Number(minute) < 60 && minutes < DAY_MINUTES ? minutes : undefined;
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

export function isQuietHour(hours: QuietHours | null, now: Millis): boolean {
  if (!hours) return false;
  const minute = minuteOfDay(now, hours.zone);
  const { from, to } = hours;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function minuteOfDay(now: Millis, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(now);
  const part = (name: string) => Number(parts.find(({ type }) => type === name)?.value);
  return part("hour") * 60 + part("minute");
}

/** Returns the address of a channel. Throws TypeError if its secrets contain no valid one. */
export function addressOf(kind: ChannelKind, secrets: ChannelSecrets): URL {
  switch (kind) {
    case "webhook":
    case "discord":
    case "ntfy":
    case "browser":
      return new URL(secrets.url ?? "");
    case "email":
      return new URL(secrets.server ?? "");
    case "telegram": {
      const server = secrets.server ?? "https://api.telegram.org";
      return new URL(`${server.replace(/\/$/, "")}/bot${secrets["bot token"] ?? ""}/sendMessage`);
    }
  }
}

/** Returns the request as the channel's provider documents it, without a webhook's signature. */
export function requestOf(
  { name, kind }: { readonly name: string; readonly kind: Exclude<ChannelKind, "email" | "browser"> },
  message: Message,
  secrets: ChannelSecrets,
): OutboundRequest {
  const address = addressOf(kind, secrets);
  const json = (body: object, url = address.href, headers = {}): OutboundRequest => ({
    url,
    headers: { "content-type": "application/json", "idempotency-key": message.id, ...headers },
    body: JSON.stringify(body),
  });
  switch (kind) {
    case "webhook":
      return json({ channel: name, ...message });
    case "telegram":
      return json({
        chat_id: secrets["chat id"],
        text: messageText(message, 4096),
        disable_notification: message.level === "info",
      });
    case "discord":
      return json({ content: messageText(message, 2000), allowed_mentions: { parse: [] } });
    case "ntfy": {
      const token = secrets["access token"];
      return json(
        {
          topic: address.pathname.slice(1),
          title: message.title,
          message: cut(message.lines.join("\n"), 4000),
          priority: PRIORITY[message.level],
        },
        address.origin,
        token ? { authorization: `Bearer ${token}` } : {},
      );
    }
  }
}

/** docs.ntfy.sh/publish#message-priority: 5 is the highest, 3 the default. */
const PRIORITY: Record<AlertLevel, number> = { info: 2, warning: 3, alert: 5 };

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/**
 * Maximum lengths: Telegram accepts 4096 characters (core.telegram.org/bots/api#sendmessage), Discord 2000
 * (discord.com/developers).
 */
const messageText = ({ title, lines }: Message, most: number): string =>
  cut([title, ...lines].join("\n"), most);
