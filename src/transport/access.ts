import { digest, sameText } from "../kernel/digest.ts";
import { AppError } from "../kernel/errors.ts";
import { pluralize } from "../kernel/plain-text.ts";
import { type Buckets, createBuckets } from "../kernel/rate-limit.ts";
import { MINUTE, type Millis, SECOND } from "../kernel/time.ts";
import { EVERY_ACCOUNT, type EventView } from "../model/events.ts";
import type { Scope } from "../model/token.ts";
import type { Operation } from "../operation.ts";
import type { AuditStore, TokenStore } from "../ports/stores/store.ts";

export interface Access {
  /** Admin tokens from the operator's settings. */
  readonly adminTokens: readonly string[];
  /**
   * Token of commands on the server's machine; it is stored like any other, but the kill switch accepts it without
   * the database.
   */
  readonly localToken?: string;
  /** Names allowed in Host and Origin besides IP literals and localhost. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages can call the API from a browser, such as `https://app.example.org`; default: only our own page. */
  readonly origins?: readonly string[] | undefined;
  /** Whether a name in Host must be listed; off if the platform routes by name. */
  readonly checkHost: boolean;
  readonly wrongTokens?: WrongTokens;
}

export interface Caller {
  readonly actor: string;
  readonly scope: Scope;
  /** Hash of the token. */
  readonly key: string;
}

/** An agent's token has no rank: it allows only the tools of the MCP endpoint. */
const RANK: Record<Scope, number> = { agent: -1, read: 0, trade: 1, admin: 2 };

interface Presented {
  readonly store: TokenStore & Pick<AuditStore, "note">;
  readonly allowance: Allowance;
  readonly requestId: string;
  /** Whether the request writes something if the token is valid. */
  readonly writes?: boolean | undefined;
  /** Whether it is for the MCP endpoint, which accepts agents' tokens too. */
  readonly isMcp?: boolean;
}

/**
 * Returns the caller of an Authorization header. Throws `Unauthorized` or `Too many requests`; nothing private is
 * ever public.
 */
export async function authenticate(
  header: string | undefined,
  access: Access,
  { store, allowance, requestId, writes, isMcp }: Presented,
): Promise<Caller> {
  const token = tokenIn(header);
  allowance.presentToken();
  const hash = await digest(token);
  const { wrongTokens } = access;
  const caller = await callerByHash(hash, access, { store, writes });
  if (!caller) wrongTokens?.add();
  const result = wrongTokens?.due();
  // The result is the same for the caller, even if the event cannot be written.
  if (result) await store.note(result, { actor: "public", request: requestId }).catch(() => undefined);
  if (!caller) {
    allowance.wrongToken();
    throw unknownToken();
  }
  allowance.rightToken(hash);
  return forAgents(caller, isMcp);
}

/** Throws `Forbidden` for an agent's token, except at the MCP endpoint. */
function forAgents(caller: Caller, isMcp = false): Caller {
  if (caller.scope !== "agent" || isMcp) return caller;
  throw new AppError("Forbidden", "this token is for an agent; it works only at /mcp");
}

/**
 * Returns the caller of an urgent request. A valid token is accepted whatever its address or owner has sent before;
 * any other request counts toward its address's limits for requests and wrong tokens. Throws `Unauthorized` or `Too
 * many requests`.
 */
export async function authenticateUrgent(
  header: string | undefined,
  access: Access,
  presented: Omit<Presented, "requestId">,
): Promise<Caller> {
  const { allowance } = presented;
  const caller = await urgentCaller(header, access, presented).catch((error: unknown) => {
    if (error instanceof AppError) allowance.request();
    throw error;
  });
  if (caller) return forAgents(caller, presented.isMcp);
  access.wrongTokens?.add();
  allowance.request();
  allowance.presentToken();
  allowance.wrongToken();
  throw unknownToken();
}

async function urgentCaller(
  header: string | undefined,
  access: Access,
  { store, writes }: Pick<Presented, "store" | "writes">,
): Promise<Caller | undefined> {
  const hash = await digest(tokenIn(header));
  const operator = await operatorOf(hash, access);
  if (operator) return operator;
  const local = await localOf(hash, access);
  // If the database does not respond, the token cannot have been revoked there.
  return storedOf(hash, access, { store, writes }).catch((error: unknown) => {
    if (local) return local;
    throw error;
  });
}

/** Applies the limits that an urgent request is exempt from. Throws `Too many requests`. */
export function limitCaller({ key }: Caller, allowance: Allowance): void {
  allowance.request();
  allowance.presentToken();
  allowance.rightToken(key);
}

function tokenIn(header: string | undefined): string {
  const token = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
  if (token === undefined)
    throw new AppError("Unauthorized", "an API token is required; send Authorization: Bearer <token>");
  return token;
}

const unknownToken = () => new AppError("Unauthorized", "this API token is unknown, expired or revoked");

interface TokenReading {
  readonly store: TokenStore;
  readonly writes?: boolean | undefined;
}

/**
 * Returns the caller with the token of this hash. Undefined if the token, or the one that created it, is unknown,
 * expired or revoked.
 */
export const callerByHash = async (
  hash: string,
  access: Access,
  reading: TokenReading,
): Promise<Caller | undefined> => (await operatorOf(hash, access)) ?? (await storedOf(hash, access, reading));

async function storedOf(hash: string, access: Access, reading: TokenReading): Promise<Caller | undefined> {
  const found = await reading.store.tokenByHash(hash, reading.writes);
  if (!found || found.scope === "link") return undefined;
  // Another server's token is not valid here: that server can have been killed without revoking it.
  if (found.server !== null) return localOf(hash, access);
  if (found.maker !== null && !(await callerByHash(found.maker, access, reading))) return undefined;
  return { actor: found.id, scope: found.scope, key: hash };
}

async function operatorOf(hash: string, { adminTokens }: Access): Promise<Caller | undefined> {
  for (const admin of adminTokens) {
    if (sameText(hash, await digest(admin))) return { actor: "admin", scope: "admin", key: hash };
  }
  return undefined;
}

async function localOf(hash: string, { localToken }: Access): Promise<Caller | undefined> {
  const isLocal = localToken !== undefined && sameText(hash, await digest(localToken));
  return isLocal ? { actor: "local", scope: "admin", key: hash } : undefined;
}

export function authorize({ scope }: Caller, { effect }: Pick<Operation, "effect">): void {
  if (RANK[scope] < RANK[effect])
    throw new AppError("Forbidden", `this request requires scope ${effect}; the token has scope ${scope}`);
}

/**
 * Rejects DNS rebinding, where another site's name points to this address: Host must be an IP literal, localhost, or
 * a listed name; Origin must be absent, equal to Host, or listed.
 */
export function checkHosts(
  { host, origin }: { host: string | undefined; origin: string | undefined },
  access: Access,
): void {
  const name = hostName(host ?? "");
  if (access.checkHost && !(isLiteral(name) || access.allowedHosts.includes(name))) {
    throw new AppError("Forbidden", "this host name is not allowed; list it in EDGEMAKER_ALLOWED_HOSTS");
  }
  if (origin === undefined || access.origins?.includes(origin)) return;
  const from = URL.canParse(origin) ? new URL(origin).host : "";
  const isOwn =
    from !== "" && host !== undefined && from.toLowerCase() === host.toLowerCase().replace(/:(80|443)$/, "");
  if (!isOwn && !(from !== "" && access.allowedHosts.includes(hostName(from)))) {
    throw new AppError("Forbidden", "this origin is not allowed; list it in EDGEMAKER_CORS");
  }
}

const hostName = (host: string): string => host.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");

const isLiteral = (name: string): boolean =>
  name === "localhost" || /^\d{1,3}(\.\d{1,3}){3}$/.test(name) || /^\[[0-9a-f:.]+\]$/.test(name);

export interface RateLimits {
  /** Requests per second of one address, and of one API token. */
  readonly address: number;
  readonly token: number;
  /** Simultaneous requests of either. */
  readonly burst: number;
  /** Wrong tokens per minute from one address. */
  readonly failed: number;
  /** Whether addresses of this machine are limited too. */
  readonly loopback: boolean;
  /** Public reads per second to one exchange for all clients together; default: the exchange's own number. */
  readonly outbound?: number;
}

/** Remaining requests of one address. Each call throws `Too many requests` if none is left. */
export interface Allowance {
  request(): void;
  /** Runs before a token is checked: an address with too many wrong tokens does not learn whether this one is valid. */
  presentToken(): void;
  wrongToken(): void;
  rightToken(hash: string): void;
}

export type Limiter = (address: string | undefined) => Allowance;

/** Maximum number of entries per kind of key; a bucket takes about 100 bytes. */
const MAX_BUCKETS = 10_000;

const UNLIMITED: Allowance = {
  request: () => {},
  presentToken: () => {},
  wrongToken: () => {},
  rightToken: () => {},
};

/** Creates a limiter for this process or isolate. Without limits it refuses nothing. */
export function createLimiter(limits: RateLimits | undefined, clock: () => Millis): Limiter {
  if (!limits) return () => UNLIMITED;
  const { address, token, burst, failed, loopback } = limits;
  const addresses = createBuckets({ count: address, millis: SECOND, burst }, MAX_BUCKETS);
  const tokens = createBuckets({ count: token, millis: SECOND, burst }, MAX_BUCKETS);
  const failures = createBuckets({ count: failed, millis: MINUTE, burst: failed }, MAX_BUCKETS);
  const take = (buckets: Buckets, key: string, what: string) =>
    requireNoWait(buckets.take(key, clock()), what);
  return (text) => {
    if (!loopback && isLoopback(text)) return UNLIMITED;
    const from = networkOf(text);
    return {
      request: () => take(addresses, from, "requests from this address"),
      presentToken: () => requireNoWait(failures.wait(from, clock()), WRONG),
      wrongToken: () => take(failures, from, WRONG),
      rightToken: (hash) => take(tokens, hash, "requests with this API token"),
    };
  };
}

const WRONG = "wrong API tokens from this address";

function requireNoWait(wait: Millis, what: string): void {
  if (wait <= 0) return;
  const retryAfterSeconds = Math.ceil(wait / SECOND);
  throw new AppError("Too many requests", `too many ${what}; try again in ${retryAfterSeconds} s`, {
    retryAfterSeconds,
  });
}

const MAPPED = /^::ffff:(?=[\d.]+$)/i;

/** Returns whether an address is this machine itself. */
export const isLoopback = (address = ""): boolean =>
  address === "::1" || /^127\./.test(address.replace(MAPPED, ""));

/** Returns the network of an address: the 2^64 addresses of an IPv6 network count as one, and so do unknown addresses. */
function networkOf(address = "unknown"): string {
  const plain = address.replace(MAPPED, "");
  if (!plain.includes(":")) return plain;
  const [head = [], tail = []] = plain
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  return [...head, ...zeros, ...tail].slice(0, 4).join(":");
}

/** Minimum time between two events about wrong tokens, however many there are. */
const WARNING_INTERVAL_MS: Millis = 10 * MINUTE;

/** Requests with a wrong token that no event has reported yet, of this process or isolate. */
interface WrongTokens {
  add(): void;
  /** Returns the event to write now; undefined without wrong tokens, or if the last event is too recent. */
  due(): EventView | undefined;
}

export function countWrongTokens(clock: () => Millis): WrongTokens {
  let count = 0;
  let describedAt = Number.NEGATIVE_INFINITY;
  return {
    add() {
      count++;
    },
    due() {
      if (count === 0 || clock() - describedAt < WARNING_INTERVAL_MS) return undefined;
      const message = `${pluralize(count, "request")} with a wrong API token since the last event of this kind`;
      [count, describedAt] = [0, clock()];
      return { account: EVERY_ACCOUNT, strategy: null, kind: "wrong_tokens", message };
    },
  };
}
