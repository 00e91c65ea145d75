import { hmac } from "@noble/hashes/hmac.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { type Decimal, decimal } from "../../kernel/decimal.ts";
import { hexOf } from "../../kernel/digest.ts";
import { messageOf, VenueError } from "../../kernel/errors.ts";
import { sleepCheck } from "../../kernel/sleep-check.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Keys } from "../../ports/venue.ts";
import type { Ccxt, Dict } from "../ccxt/client/ccxt.ts";

/** An open WebSocket. */
interface Socket {
  send(text: string): void;
  close(): void;
}

interface SocketEvents {
  readonly opened: () => void;
  readonly message: (message: string | Uint8Array) => void;
  /** A ping or pong frame. */
  readonly alive: () => void;
  readonly closed: (reason: string) => void;
}

export interface StreamPlatform {
  /** Opens a WebSocket. It calls no event before it returns, and none after `close`. */
  open(url: string, events: SocketEvents): Promise<Socket>;
  readonly monotonic: () => Millis;
  /** Calls `run` again and again; returns what stops it. */
  every(millis: Millis, run: () => void): () => void;
  /** Calls `run` once; returns what prevents it. */
  after(millis: Millis, run: () => void): () => void;
}

const CHECK_EVERY: Millis = SECOND;
const PING_EVERY: Millis = 10 * SECOND;
/** Time for the connection, the login and all confirmations. */
const READY_WITHIN: Millis = 20 * SECOND;
const RENEW_AGAIN: Millis = 60 * SECOND;

interface LineParts {
  readonly name: ConnectionKind;
  readonly dialect: StreamDialect;
  readonly access: StreamAccess;
  /** Replaces the exchange's hosts. */
  readonly origin: string | undefined;
  readonly platform: StreamPlatform;
  /** Requests for all topics, read when the connection is open. */
  readonly topics: () => Promise<readonly TopicRequest[]>;
  readonly onReady: () => void;
  readonly onRead: (readings: readonly StreamReading[]) => void;
  /** Runs for a message that cannot be read, and for a refused pair. */
  readonly onTrouble: (reason: string, isUnreadable: boolean) => void;
  readonly onEnd: (reason: string, isRefused: boolean) => void;
}

/**
 * Opens one WebSocket, logs in, follows topics and pings. It ends once: closed, refused, silent for too long, or after a
 * sleep of the machine.
 */
export function openLine(parts: LineParts) {
  const { name, dialect, access, origin, platform, onEnd } = parts;
  const startedAt = platform.monotonic();
  const ping = pinging(startedAt, () => send(dialect.ping));
  let heardAt = startedAt;
  let socket: Socket | undefined;
  let renewal: ((now: Millis) => void) | undefined;
  let isEnded = false;
  // The monotonic clock alone measures silence.
  const hasSlept = sleepCheck(() => access.now() - platform.monotonic());
  const stopChecks = platform.every(CHECK_EVERY, check);
  const failed = (error: unknown) => end(messageOf(error), isKeyFailure(error));
  const topics = topicRequests(parts, { send, end, failed, isEnded: () => isEnded });

  function end(reason: string, isRefused = false) {
    if (isEnded) return;
    close();
    onEnd(reason, isRefused);
  }

  function close() {
    isEnded = true;
    stopChecks();
    socket?.close();
  }

  async function start() {
    const { path, renew } = await dialect.address(name, access);
    if (isEnded) return;
    renewal = renew && renewing(renew, parts);
    const opened = await platform.open((origin ?? dialect.hosts[name]) + path, {
      opened() {
        heard();
        topics.greet().catch(failed);
      },
      message,
      alive: heard,
      closed: (reason) => end(reason),
    });
    if (isEnded) opened.close();
    else socket = opened;
  }

  function send(text: string) {
    if (!isEnded) socket?.send(text);
  }

  function heard() {
    heardAt = platform.monotonic();
  }

  function message(content: string | Uint8Array) {
    if (isEnded) return;
    heard();
    try {
      const readings = dialect.read(content);
      for (const reading of readings) topics.handle(reading);
      parts.onRead(readings);
    } catch {
      parts.onTrouble("a message could not be read", true);
    }
  }

  function check() {
    const now = platform.monotonic();
    const sleep = hasSlept() ? "this machine was asleep" : undefined;
    const fault = topics.isReady()
      ? socket && (silenceOf(now - heardAt, dialect.silentAfter) ?? sleep)
      : (delayOf(now - startedAt) ?? sleep);
    if (fault) return end(fault);
    if (!socket) return;
    ping(now);
    renewal?.(now);
  }

  start().catch(failed);
  return { close, add: topics.add, isReady: topics.isReady };
}

interface LineCalls {
  readonly send: (text: string) => void;
  readonly end: (reason: string, isRefused?: boolean) => void;
  readonly failed: (error: unknown) => void;
  readonly isEnded: () => boolean;
}

/** Logs in and requests the topics; the line is ready when all of them are confirmed. */
function topicRequests(parts: LineParts, { send, end, failed, isEnded }: LineCalls) {
  const { name, dialect, access } = parts;
  let isReady = false;
  let unconfirmed: number | undefined;

  async function greet() {
    const login = await dialect.login?.(name, access);
    if (login === undefined) await follow();
    else send(login);
  }

  async function follow() {
    unconfirmed = 0;
    for (const request of await parts.topics()) add(request);
    settle();
  }

  /** Sends another request. Before the first ones, there is no need: they contain all topics. */
  function add({ text, confirmations }: TopicRequest) {
    if (unconfirmed === undefined) return;
    unconfirmed += confirmations;
    send(text);
  }

  function settle() {
    if (isReady || isEnded() || unconfirmed !== 0) return;
    isReady = true;
    parts.onReady();
  }

  function handle(reading: StreamReading) {
    if (reading.kind === "login") return void follow().catch(failed);
    if (reading.kind === "refused") {
      if (reading.isPrivate) return end(`refused: ${reading.reason}`, reading.isKeys);
      // A pair without prices leaves the others.
      parts.onTrouble(reading.reason, false);
    } else if (reading.kind !== "confirmed") return;
    if (unconfirmed) unconfirmed--;
    settle();
  }

  return { greet, add, handle, isReady: () => isReady };
}

/** Returns a check that extends the login when it is due. */
function renewing(renew: () => Promise<unknown>, { dialect, platform, onTrouble }: LineParts) {
  const every = dialect.renewEvery ?? Number.POSITIVE_INFINITY;
  let last = platform.monotonic();
  return (now: Millis) => {
    if (now - last < every) return;
    last = now;
    renew().catch((error: unknown) => {
      // The exchange closes the connection when the login ends; until then it can be extended.
      last = now - every + RENEW_AGAIN;
      onTrouble(messageOf(error), false);
    });
  };
}

function pinging(startedAt: Millis, ping: () => void) {
  let last = startedAt;
  return (now: Millis) => {
    if (now - last < PING_EVERY) return;
    last = now;
    ping();
  };
}

const silenceOf = (silent: Millis, longest: Millis): string | undefined =>
  silent > longest ? `silent for ${Math.round(silent / SECOND)} s` : undefined;

const delayOf = (delay: Millis): string | undefined =>
  delay > READY_WITHIN ? `not connected within ${READY_WITHIN / SECOND} s` : undefined;

const KEY_FAILURES: ReadonlySet<string> = new Set(["invalid_credentials", "missing_credentials", "refused"]);

const isKeyFailure = (error: unknown): boolean =>
  error instanceof VenueError && KEY_FAILURES.has(error.failure);

/** Private messages need the account's keys. Where one connection has both, it is the private one. */
export type ConnectionKind = "private" | "public";

export interface StreamAccess {
  /** Throws VenueError if there are none. */
  keys(): Promise<Keys>;
  /** Makes a signed REST call in the account's turn, with its rate limit. Throws VenueError. */
  call<T>(call: (exchange: Ccxt) => Promise<T>): Promise<T>;
  /** Whether it is a unified account, on exchanges with two kinds. */
  isUnified(): Promise<boolean>;
  /** This machine's clock. */
  readonly now: () => Millis;
}

/** A connection's address; some exchanges put a key into it, so it is never logged. */
interface Address {
  readonly path: string;
  /** Extends the login. Absent if it lasts as long as the connection. */
  readonly renew?: () => Promise<unknown>;
}

/** A request to follow topics, and the number of confirmations that answer it. */
export interface TopicRequest {
  readonly text: string;
  readonly confirmations: number;
}

/** What a message says. */
export type StreamReading =
  | { readonly kind: "login" | "confirmed" }
  | {
      readonly kind: "refused";
      readonly reason: string;
      /** Whether the exchange refuses the orders' topic or the login, and whether it does so because of the keys. */
      readonly isPrivate: boolean;
      readonly isKeys: boolean;
    }
  /** Undefined if the market cannot be read. */
  | { readonly kind: "fill"; readonly market: string | undefined }
  | { readonly kind: "price"; readonly market: string; readonly bid: Decimal; readonly ask: Decimal };

/** Returns the best prices of a market; nothing if a side of its book is empty. Throws for a text that is no number. */
export const bestPrices = (market: unknown, bid: unknown, ask: unknown): StreamReading[] =>
  bid && ask
    ? [{ kind: "price", market: String(market), bid: decimal(String(bid)), ask: decimal(String(ask)) }]
    : [];

/** The rules of one exchange's streams; sources are in docs/exchanges.md. */
export interface StreamDialect {
  readonly hosts: Readonly<Record<ConnectionKind, string>>;
  /** Whether public messages need a connection of their own. */
  readonly isSplit: boolean;
  readonly ping: string;
  readonly silentAfter: Millis;
  readonly renewEvery?: Millis;
  /** Returns a market's name in streams; undefined if it is the id of the market list. */
  readonly marketOf?: (market: Dict) => string;
  address(line: ConnectionKind, access: StreamAccess): Promise<Address>;
  /** Returns the message that logs in before the first topic; undefined if there is none. */
  login?(line: ConnectionKind, access: StreamAccess): Promise<string | undefined>;
  /** Returns the request for the account's fills on all pairs. */
  fills(access: StreamAccess): Promise<TopicRequest>;
  /** Returns requests that start or stop the best prices of some markets. */
  prices(markets: readonly string[], isOn: boolean): readonly TopicRequest[];
  /** Throws for a message that is broken. */
  read(message: string | Uint8Array): readonly StreamReading[];
}

const bytes = (text: string) => new TextEncoder().encode(text);

/** Returns HMAC-SHA512 as hexadecimal text. */
export const hexSignature = (secret: string, text: string): string =>
  hexOf(hmac(sha512, bytes(secret), bytes(text)));

/** Returns HMAC-SHA256 in base64. */
export const base64Signature = (secret: string, text: string): string =>
  btoa(String.fromCharCode(...hmac(sha256, bytes(secret), bytes(text))));
