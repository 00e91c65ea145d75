/** Sends every channel its messages: at least once, and from only one process at a time. */

import { text, ZERO } from "../../kernel/decimal.ts";
import { messageOf as wordsOf } from "../../kernel/errors.ts";
import { splitPair } from "../../kernel/pair.ts";
import { plainText, pluralize } from "../../kernel/plain-text.ts";
import { withoutSecrets } from "../../kernel/secret-texts.ts";
import { ageOf, dayOf, HOUR, isAhead, MINUTE, type Millis, SECOND, stampOf } from "../../kernel/time.ts";
import {
  ALERT_LEVELS,
  type AlertLevel,
  type Channel,
  type ChannelSecrets,
  type Digest,
  type DigestLine,
  isAtLeast,
  type Message,
  NO_DIGEST,
} from "../../model/channel.ts";
import { dateOf } from "../../model/limits.ts";
import type { News } from "../../model/news.ts";
import type { Deps } from "../../ports/deps.ts";
import type { LeadsInward, OutboundAnswer, OutboundRequest, Post, SendMail } from "../../ports/outbound.ts";
import type { Local, Log } from "../../ports/within-time.ts";
import { reportLines, reportOver } from "../../report/figures.ts";
import type { ReportStore } from "../../report/store.ts";
import { isQuietHour, requestOf } from "../channels.ts";
import { mailOf, NO_MAIL } from "../mail.ts";
import { eventNews, fillNews } from "../news.ts";
import type { Claim, NotifyStore, Outlook, Sent } from "../store.ts";
import { newMessageKeys, pushRequest } from "./push.ts";

/** Channels, and how their messages are sent. */
interface Notify {
  readonly store: NotifyStore;
  readonly post: Post;
  /** Absent if this process cannot send email; other processes then serve its channels. */
  readonly mail?: SendMail | undefined;
}

/** Dependencies of the operations on channels. */
export interface NotifyDeps extends Deps {
  /** Sends messages to alert channels; absent without notifications. */
  readonly notify?: Notify & {
    /** Hosts that the settings allow as message targets, even private ones. */
    readonly hosts: readonly string[];
    readonly inward?: LeadsInward | undefined;
  };
}

/** Dependencies of the delivery. */
export interface DeliveryDeps {
  readonly notify: Notify;
  readonly local: Local;
  readonly log: Log;
  readonly requests?: (() => number) | undefined;
  /** Source of daily reports, for channels that send them. */
  readonly reports?: Pick<ReportStore, "daysOf"> | undefined;
}

/** Minimum time between two messages of a channel; later events are in the next one. */
const MESSAGES_APART: Millis = 10 * SECOND;
/** The same for messages with only information, such as fills. */
const ROUTINE_APART: Millis = 10 * MINUTE;
/** How long a process claims a channel; a request takes less than half of it. */
const CLAIM: Millis = 30 * SECOND;
const DELIVERY_TIMEOUT: Millis = 10 * SECOND;
const FIRST_WAIT: Millis = 10 * SECOND;
const MAX_RETRY_WAIT_MS: Millis = HOUR;
/** Maximum number of attempts for one message, over about three hours. */
const MAX_DELIVERY_TRIES = 12;
const NEWS_PER_CLAIM = 1000;
const MAX_CLAIMS = 20;
/** Number of requests per channel, if the platform limits them. */
const REQUESTS_PER_CHANNEL = 4;

/** Runs one round over all channels. Failures are logged and retried in a later round. */
export async function deliver(deps: DeliveryDeps): Promise<void> {
  const { notify, log } = deps;
  const outlook = await notify.store.outlook();
  const working = outlook.channels.filter((channel) => hasWork(channel, outlook));
  const due = working
    .filter(({ kind }) => kind !== "email" || notify.mail !== undefined)
    .sort((a, b) => a.cursor.event - b.cursor.event || a.cursor.fill - b.cursor.fill);
  for (const { name } of working.filter((channel) => !due.includes(channel)))
    log("warn", "a channel cannot be used from this process", { channel: name, reason: NO_MAIL });
  // The channels that are furthest behind, so that each gets its turn.
  const affordableMessages = deps.requests
    ? Math.max(0, Math.floor((deps.requests() - 2) / REQUESTS_PER_CHANNEL))
    : due.length;
  await Promise.all(
    due.slice(0, affordableMessages).map(({ name }) =>
      serveChannel(deps, name).catch((error: unknown) => {
        log("warn", "a message could not be sent", { channel: name, reason: wordsOf(error) });
      }),
    ),
  );
}

function hasWork(channel: Outlook["channels"][number], { now, newest }: Outlook): boolean {
  if (isAhead(channel.claimedUntil, now, CLAIM)) return false;
  const { cursor, isPending, retryAt } = channel;
  if (newest.event > cursor.event || newest.fill > cursor.fill) return true;
  return isPending
    ? !isAhead(retryAt, now, MAX_RETRY_WAIT_MS)
    : isReady(channel, now) || isReportDue(channel, now);
}

/** Returns whether the digest must be sent now. */
function isReady({ digest, quiet, sentAt, retryAt }: Channel, now: Millis): boolean {
  const due = dueLines(digest, now, isQuietHour(quiet, now));
  const apart = due.some(({ level }) => level !== "info") ? MESSAGES_APART : ROUTINE_APART;
  return due.length > 0 && !isAhead(retryAt, now, MAX_RETRY_WAIT_MS) && ageOf(sentAt, now) >= apart;
}

/** How long after midnight the previous day is complete. */
const REPORT_AFTER: Millis = 5 * MINUTE;
const isReportDue = ({ isDaily, reportedDay }: Channel, now: Millis): boolean =>
  // Two days later was stored while the clock was ahead; one day, perhaps before it was set back over midnight.
  isDaily && (dayOf(now - REPORT_AFTER) > reportedDay || reportedDay > dayOf(now) + 1);

async function serveChannel(deps: DeliveryDeps, name: string): Promise<void> {
  const { local, notify } = deps;
  const owner = local.randomText(16);
  for (let pages = 1; ; pages++) {
    const claimedAt = local.monotonic();
    const claim = await notify.store.claim({ name, owner, ttl: CLAIM, page: NEWS_PER_CLAIM });
    if (!claim) return;
    const isMore = claim.events.length === NEWS_PER_CLAIM || claim.fills.length === NEWS_PER_CLAIM;
    const message = await takeNews(deps, claim, isMore && pages < MAX_CLAIMS);
    if (message) return sendClaimed(deps, claim, { ...message, claimedAt });
    if (!isMore || pages >= MAX_CLAIMS) return;
  }
}

interface Pending {
  readonly message: Message;
  readonly tries: number;
}

/** Stores new events, and returns what must be sent now. */
async function takeNews(deps: DeliveryDeps, claim: Claim, isMore: boolean): Promise<Pending | undefined> {
  const { notify, local } = deps;
  const { channel, now, events, fills, pending } = claim;
  const cursor = {
    event: events.at(-1)?.id ?? channel.cursor.event,
    fill: fills.at(-1)?.number ?? channel.cursor.fill,
  };
  const digest = takeIn(channel.digest, newsOf(claim), { minLevel: channel.level, now });
  const isTurn = !isMore && !isAhead(channel.retryAt, now, MAX_RETRY_WAIT_MS);
  const isFree = isTurn && !pending;
  const make = isFree && isReady({ ...channel, digest }, now);
  const report = isFree && !make && isReportDue(channel, now) ? await dailyReport(deps, now) : undefined;
  const message = make ? digestMessage(digest, { id: local.randomText(24), now }) : report;
  const next = isTurn ? (pending ?? (message && { message, tries: 0 })) : undefined;
  const kept = {
    cursor,
    digest: make ? describedAt(digest, now) : digest,
    message,
    // In the same write as the report, so each day has one report.
    ...(report ? { reportedDay: dayOf(now) } : {}),
    isDone: !next && !isMore,
  };
  return (await notify.store.keep(claim, kept)) ? next : undefined;
}

/** Returns the report of the previous day. */
async function dailyReport({ reports, local }: DeliveryDeps, now: Millis): Promise<Message | undefined> {
  if (!reports) return undefined;
  const day = dayOf(now) - 1;
  const { days, named } = await reports.daysOf(day, day);
  const report = reportOver(days, { from: day, to: day, now, named });
  const title = `edgemaker report of ${dateOf(day)}`;
  return {
    id: local.randomText(24),
    kind: "report",
    level: "info",
    title,
    lines: reportLines(report),
    at: now,
  };
}

function newsOf({ events, fills }: Claim): News[] {
  const news = events.map(eventNews).filter((one) => one !== undefined);
  const booked = fills.filter(({ isSuperseded }) => !isSuperseded);
  return [...news, ...booked.map(fillNews)].sort((a, b) => a.at - b.at);
}

async function sendClaimed(
  { notify, local }: DeliveryDeps,
  claim: Claim,
  { message, tries, claimedAt }: Pending & { readonly claimedAt: Millis },
): Promise<void> {
  // After a long pause, another process can have claimed it.
  if (local.monotonic() - claimedAt > CLAIM - 2 * DELIVERY_TIMEOUT) return;
  const sent = await attemptDelivery(notify, claim, { message, tries });
  await notify.store.settle(claim, message.id, sent);
}

async function transmit(
  { post, mail }: Notify,
  { channel: { name, kind }, secrets, now }: Claim,
  message: Message,
): Promise<OutboundAnswer> {
  if (kind === "email") {
    if (!mail) throw new Error(NO_MAIL);
    return mail(mailOf(message, secrets), DELIVERY_TIMEOUT);
  }
  if (kind === "browser")
    return post(await pushRequest(message, secrets, { now, ...(await newMessageKeys()) }), DELIVERY_TIMEOUT);
  const request = await signedRequest(requestOf({ name, kind }, message, secrets), { message, secrets, now });
  return post(request, DELIVERY_TIMEOUT);
}

async function attemptDelivery(notify: Notify, claim: Claim, { message, tries }: Pending): Promise<Sent> {
  const { channel, secrets, now } = claim;
  try {
    const first = await transmit(notify, claim, message);
    const moved = movedChat(claim, first);
    // Stored first, so that every later attempt uses the new chat.
    const isMoved = moved !== undefined && (await notify.store.keepSecrets(moved));
    const { status, text, retryAfterSeconds } = isMoved ? await transmit(notify, moved, message) : first;
    if (status >= 200 && status < 300) return { result: "sent" };
    // RFC 8030: the browser has ended its subscription, and no retry can reach it.
    if (channel.kind === "browser" && (status === 404 || status === 410))
      return { ...later(BROWSER_GONE), result: "dead" };
    const said = text === "" ? "" : `: ${text}`;
    return later(`it returned status ${status}${said}`, retryAfterSeconds);
  } catch (error) {
    return later(wordsOf(error));
  }

  function later(why: string, retryAfterSeconds = 0): Extract<Sent, { readonly error: string }> {
    const wait = Math.min(MAX_RETRY_WAIT_MS, FIRST_WAIT * 2 ** Math.min(channel.failures, 20));
    return {
      result: tries + 1 >= MAX_DELIVERY_TRIES ? "dead" : "later",
      error: plainText(withoutSecrets(why, longSecretsOf(secrets)), 300),
      retryAt: now + Math.min(MAX_RETRY_WAIT_MS, Math.max(wait, retryAfterSeconds * SECOND)),
    };
  }
}

const BROWSER_GONE = "this browser no longer accepts messages; remove the channel and add the browser again";

/** Returns the claim with the chat that replaces a Telegram group; core.telegram.org/bots/api#responseparameters */
function movedChat(claim: Claim, { status, text }: OutboundAnswer): Claim | undefined {
  const chat = /"migrate_to_chat_id"\s*:\s*(-?\d{1,20})\s*[,}]/.exec(text)?.[1];
  if (claim.channel.kind !== "telegram" || status !== 400 || chat === undefined) return undefined;
  return { ...claim, secrets: { ...claim.secrets, "chat id": chat } };
}

/** Returns secrets to remove from texts; shorter ones, such as a chat's number, appear in texts by chance. */
const longSecretsOf = (secrets: Readonly<Record<string, string>>): string[] =>
  Object.values(secrets).filter((one) => one.length > 5);

/** News that is still to be sent, in bounded size, so many events become one message. */
const MAX_DIGEST_LINES = 20;
/** How long news with the same key is only counted after it was sent. */
const REPEAT_AFTER_MS: Millis = 10 * MINUTE;
const MAX_LINES_SHOWN = 50;

/** Adds news for a channel's level, at protocol time `now`. */
export function takeIn(
  digest: Digest,
  news: readonly News[],
  { minLevel, now }: { readonly minLevel: AlertLevel; readonly now: Millis },
): Digest {
  const lines = new Map(digest.lines.map((line) => [line.key, line]));
  let { more } = digest;
  for (const one of news) {
    if (!isAtLeast(one.level, minLevel)) continue;
    const known = lines.get(one.key);
    lines.set(one.key, known ? withNews(known, one) : lineOf(one, dueAt(digest, one.key, now)));
    if (lines.size <= (one.level === "alert" ? 2 * MAX_DIGEST_LINES : MAX_DIGEST_LINES) || known) continue;
    const { key, count } = leastUrgent([...lines.values()]);
    lines.delete(key);
    more += count;
  }
  return { ...digest, lines: [...lines.values()], more };
}

/** Returns the line that a more urgent one replaces: the newest of the lowest level. */
const leastUrgent = (lines: readonly DigestLine[]): DigestLine =>
  lines.reduce((least, line) => (isAtLeast(least.level, line.level) ? line : least));

const dueAt = ({ sentAt }: Digest, key: string, now: Millis): Millis => {
  const last = sentAt[key];
  return last === undefined ? now : Math.max(now, last + REPEAT_AFTER_MS);
};

const lineOf = ({ key, level, text, at, fill }: News, due: Millis): DigestLine => ({
  key,
  level,
  text,
  at,
  until: at,
  count: 1,
  amount: fill?.amount ?? ZERO,
  notional: fill?.notional ?? ZERO,
  fillsOf: fill?.symbol,
  dueAt: due,
});

// The newest text, because it describes the current state.
const withNews = (line: DigestLine, { text, at, fill }: News): DigestLine => ({
  ...line,
  text,
  until: at,
  count: line.count + 1,
  amount: line.amount + (fill?.amount ?? ZERO),
  notional: line.notional + (fill?.notional ?? ZERO),
});

/** Returns the lines that are due: in quiet hours only alerts. */
export const dueLines = ({ lines }: Digest, now: Millis, isQuiet: boolean): readonly DigestLine[] =>
  lines.filter((line) => !isAhead(line.dueAt, now, REPEAT_AFTER_MS) && (!isQuiet || line.level === "alert"));

/** Returns the digest after all of it was sent. */
export function describedAt({ lines, sentAt: result }: Digest, now: Millis): Digest {
  const all = { ...result, ...Object.fromEntries(lines.filter(isOnce).map(({ key }) => [key, now])) };
  const recent = Object.entries(all).filter(([, at]) => ageOf(at, now) < REPEAT_AFTER_MS);
  return {
    ...NO_DIGEST,
    sentAt: Object.fromEntries(recent.sort(([, a], [, b]) => b - a).slice(0, MAX_LINES_SHOWN)),
  };
}

const isOnce = ({ fillsOf }: DigestLine): boolean => !fillsOf;

/** Formats everything in a digest as one message. */
export function digestMessage({ lines, more }: Digest, { id, now }: { id: string; now: Millis }): Message {
  const sorted = [...lines].sort((a, b) => rank(b.level) - rank(a.level) || a.at - b.at);
  const level = sorted[0]?.level ?? "info";
  return {
    id,
    kind: "news",
    level,
    title: titleOf(sorted, level),
    lines: [...sorted.map(lineText), ...(more > 0 ? [`… and ${more} more; see the events`] : [])],
    at: now,
  };
}

const rank = (level: AlertLevel): number => ALERT_LEVELS.indexOf(level);

function titleOf(lines: readonly DigestLine[], level: AlertLevel): string {
  const highest = lines.filter((line) => line.level === level && !line.fillsOf);
  const fills = lines.filter(({ fillsOf }) => fillsOf).reduce((sum, { count }) => sum + count, 0);
  const [first] = highest;
  if (!first) return `edgemaker: ${pluralize(fills, "fill")}`;
  const others = highest.length > 1 ? ` (and ${highest.length - 1} more)` : "";
  return `edgemaker ${level}: ${first.text}${others}`.slice(0, 200);
}

/** `01-31 23:59:59`, in UTC. */
const clockText = (at: Millis): string => stampOf(at).slice(5, 19).replace("T", " ");

function lineText(line: DigestLine): string {
  const at = clockText(line.at);
  const mark = line.level === "info" ? "" : `${line.level}: `;
  if (!line.fillsOf) return `${at} ${mark}${line.text}${line.count > 1 ? ` (${line.count} times)` : ""}`;
  const times = line.count > 1 ? ` in ${line.count} fills` : "";
  const { base, quote } = splitPair(line.fillsOf);
  return `${at} ${line.text} ${text(line.amount)} ${base} for ${text(line.notional)} ${quote}${times}`;
}

/**
 * Signs a request with the three headers of Standard Webhooks (standardwebhooks.com), if the channel has a secret: a
 * receiver checks `v1,` + base64 of HMAC-SHA256 over `id.timestamp.body`, and refuses old timestamps.
 */
async function signedRequest(
  request: OutboundRequest,
  {
    message,
    secrets,
    now,
  }: { readonly message: Message; readonly secrets: ChannelSecrets; readonly now: Millis },
): Promise<OutboundRequest> {
  const { secret } = secrets;
  if (secret === undefined) return request;
  const timestamp = String(Math.floor(now / SECOND));
  const raw = Uint8Array.from(atob(secret.slice(SECRET_PREFIX.length)), (one) => one.charCodeAt(0));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["sign"]);
  const content = new TextEncoder().encode(`${message.id}.${timestamp}.${request.body}`);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
  const signature = `v1,${btoa(String.fromCharCode(...bytes))}`;
  return {
    ...request,
    headers: {
      ...request.headers,
      "webhook-id": message.id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
    },
  };
}

const SECRET_PREFIX = "whsec_";

/** Returns a new Standard Webhooks secret from 32 random bytes. */
export const newWebhookSecret = (bytes: Uint8Array): string =>
  `${SECRET_PREFIX}${btoa(String.fromCharCode(...bytes))}`;
