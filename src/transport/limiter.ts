import { AppError } from "../kernel/errors.ts";
import { type Buckets, createBuckets } from "../kernel/rate-limit.ts";
import { MINUTE, type Millis, SECOND } from "../kernel/time.ts";

export interface RateLimits {
  /** Requests a second of one address, and of one API token. */
  readonly address: number;
  readonly token: number;
  /** Requests at once, of either. */
  readonly burst: number;
  /** Wrong tokens a minute from one address. */
  readonly failed: number;
  /** Whether addresses of this machine are limited too. */
  readonly loopback: boolean;
  /** Public reads a second that one exchange is asked for everybody together, in place of its own number. */
  readonly outbound?: number;
}

/** What one address may still ask. Each call throws Too many requests when it may not. */
export interface Allowance {
  request(): void;
  /** Before a token is looked at: an address that sent too many wrong ones is not told whether this one is right. */
  presentToken(): void;
  wrongToken(): void;
  rightToken(hash: string): void;
}

export type Limiter = (address: string | undefined) => Allowance;

/** Of each kind of key. A bucket takes some 100 bytes. */
const MOST_KEYS = 10_000;

const UNLIMITED: Allowance = {
  request: () => {},
  presentToken: () => {},
  wrongToken: () => {},
  rightToken: () => {},
};

/** Counts in this process, or isolate, alone. Without limits nothing is refused. */
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

const isLoopback = (address = ""): boolean => address === "::1" || /^127\./.test(address.replace(MAPPED, ""));

/** Who has one IPv6 address has the 2^64 of its network, which count as one. Unknown addresses count as one, too. */
function networkOf(address = "unknown"): string {
  const plain = address.replace(MAPPED, "");
  if (!plain.includes(":")) return plain;
  const [head = [], tail = []] = plain
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  return [...head, ...zeros, ...tail].slice(0, 4).join(":");
}
