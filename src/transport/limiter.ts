import { AppError } from "../kernel/errors.ts";
import { type Buckets, createBuckets } from "../kernel/rate-limit.ts";
import { MINUTE, type Millis, SECOND } from "../kernel/time.ts";

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
const MOST_KEYS = 10_000;

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
  const addresses = createBuckets({ count: address, millis: SECOND, burst }, MOST_KEYS);
  const tokens = createBuckets({ count: token, millis: SECOND, burst }, MOST_KEYS);
  const failures = createBuckets({ count: failed, millis: MINUTE, burst: failed }, MOST_KEYS);
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
