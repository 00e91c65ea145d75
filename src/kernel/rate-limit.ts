import type { Millis } from "./time.ts";

/** `count` in each `millis`, and up to `burst` at once. */
export interface Rate {
  readonly count: number;
  readonly millis: Millis;
  readonly burst: number;
}

/** One token bucket for each key, all of one rate. Times come from a clock that never goes back. */
export interface Buckets {
  /** How long until one may be taken; 0 when it may be now. */
  wait(key: string, now: Millis): Millis;
  /** The same, and takes one when it may be. */
  take(key: string, now: Millis): Millis;
  /** How many keys are remembered. */
  size(): number;
}

interface Bucket {
  /** What is missing to a full bucket, at `at`. */
  readonly used: number;
  readonly at: Millis;
}

/** Remembers at most `most` keys: beyond, the one that was idle longest is forgotten, as if its bucket were full. */
export function createBuckets({ count, millis, burst }: Rate, most: number): Buckets {
  // In the order of the last taking.
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
