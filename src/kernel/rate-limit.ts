import type { Millis } from "./time.ts";

/** `count` per `millis`, and up to `burst` at once. */
export interface Rate {
  readonly count: number;
  readonly millis: Millis;
  readonly burst: number;
}

/** A token bucket per key, all with the same rate. The clock never goes back. */
export interface Buckets {
  /** Returns the time until a token is available; 0 if one is available now. */
  wait(key: string, now: Millis): Millis;
  /** Does the same, and takes a token if one is available now. */
  take(key: string, now: Millis): Millis;
  /** Returns the number of stored keys. */
  size(): number;
}

interface Bucket {
  /** Tokens missing from a full bucket, at `at`. */
  readonly used: number;
  readonly at: Millis;
}

/** Stores at most `most` keys; above that, it drops the key that was idle longest, as if its bucket were full. */
export function createBuckets({ count, millis, burst }: Rate, most: number): Buckets {
  // Ordered by the last take.
  const buckets = new Map<string, Bucket>();
  const untilFull = (burst * millis) / count;

  const used = (key: string, now: Millis): number => {
    const bucket = buckets.get(key);
    return bucket ? Math.max(0, bucket.used - ((now - bucket.at) * count) / millis) : 0;
  };
  const wait = (key: string, now: Millis): Millis => {
    const bucket = buckets.get(key);
    return bucket ? Math.max(0, ((bucket.used + 1 - burst) * millis) / count - (now - bucket.at)) : 0;
  };

  const forget = (now: Millis): void => {
    for (const [key, { at }] of buckets) {
      if (at + untilFull > now && buckets.size < most) return;
      buckets.delete(key);
    }
  };

  return {
    wait,
    take(key, now) {
      const millisLeft = wait(key, now);
      if (millisLeft > 0) return millisLeft;
      const next = { used: used(key, now) + 1, at: now };
      buckets.delete(key);
      forget(now);
      buckets.set(key, next);
      return 0;
    },
    size: () => buckets.size,
  };
}
