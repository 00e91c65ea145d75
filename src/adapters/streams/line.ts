import { messageOf, VenueError } from "../../kernel/errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Line, StreamAccess, StreamDialect, StreamReading, TopicRequest } from "./dialect.ts";

/** An open WebSocket. */
export interface Socket {
  send(text: string): void;
  close(): void;
}

export interface SocketEvents {
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

export interface LineParts {
  readonly name: Line;
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

/** Opens one WebSocket, logs in, follows topics and pings. It ends once: closed, refused, or silent for too long. */
export function openLine(parts: LineParts) {
  const { name, dialect, access, origin, platform, onEnd } = parts;
  const startedAt = platform.monotonic();
  const ping = pinging(startedAt, () => send(dialect.ping));
  let heardAt = startedAt;
  let socket: Socket | undefined;
  let renewal: ((now: Millis) => void) | undefined;
  let isEnded = false;
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
    const fault = topics.isReady()
      ? socket && silenceOf(now - heardAt, dialect.silentAfter)
      : delayOf(now - startedAt);
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

const isKeyFailure = (error: unknown): boolean =>
  error instanceof VenueError && KEY_FAILURES.has(error.failure);

const KEY_FAILURES: ReadonlySet<string> = new Set(["invalid_credentials", "missing_credentials", "refused"]);
