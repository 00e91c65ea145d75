import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBuckets, type Rate } from "../../src/kernel/rate-limit.ts";

const RATE: Rate = { count: 60, millis: 1000, burst: 120 };

/** How many of `tries` takes at one time succeed. */
const accepted = (buckets: ReturnType<typeof createBuckets>, key: string, now: number, tries = 500): number =>
  Array.from({ length: tries }, () => buckets.take(key, now)).filter((wait) => wait === 0).length;

describe("a rate-limit bucket", () => {
  it("allows its burst at once, then its rate, and never more than its burst", () => {
    const buckets = createBuckets(RATE, 10);
    const times = [0, 0, 50, 1050, 3050, 100_000];
    expect(times.map((now) => accepted(buckets, "a", now))).toEqual([120, 0, 3, 60, 120, 120]);
  });

  it("reports the wait until the next token; neither the report nor a refusal uses one", () => {
    const buckets = createBuckets({ count: 10, millis: 60_000, burst: 10 }, 10);
    expect(buckets.wait("a", 0)).toBe(0);
    expect(accepted(buckets, "a", 0)).toBe(10);
    expect([buckets.wait("a", 0), buckets.take("a", 1500), buckets.wait("a", 5999)]).toEqual([6000, 4500, 1]);
    expect(accepted(buckets, "a", 6000)).toBe(1);
    expect(accepted(buckets, "b", 6000)).toBe(10);
  });

  it("allows at most its burst plus the refill in any time span", () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 });
    const rate = fc.record({
      count: fc.integer({ min: 1, max: 50 }),
      millis: fc.constantFrom(1000, 60_000),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(rate, gaps, (one, waits) => {
        const buckets = createBuckets(one, 2);
        let now = 0;
        const at = waits.flatMap((gap) => {
          now += gap;
          return buckets.take("a", now) === 0 ? [now] : [];
        });
        for (const [first, from] of at.entries())
          for (const [last, to] of at.entries())
            if (last >= first)
              expect(last - first + 1).toBeLessThanOrEqual(
                one.burst + ((to - from) * one.count) / one.millis + 1e-6,
              );
      }),
    );
  });
});

describe("the bucket store", () => {
  it("drops a bucket that is full again", () => {
    const buckets = createBuckets(RATE, 1000);
    for (let key = 0; key < 500; key++) buckets.take(`k${key}`, key);
    expect(buckets.size()).toBe(500);
    buckets.take("late", 2250);
    expect(buckets.size()).toBe(250);
    buckets.take("later", 5000);
    expect(buckets.size()).toBe(1);
  });

  it("never exceeds its cap and keeps the most recently used buckets", () => {
    const buckets = createBuckets(RATE, 100);
    expect(accepted(buckets, "old", 0)).toBe(120);
    for (let key = 0; key < 99; key++) buckets.take(`k${key}`, 1);
    expect(accepted(buckets, "k0", 1)).toBe(119);
    for (let key = 0; key < 50; key++) buckets.take(`n${key}`, 2);
    expect(buckets.size()).toBe(100);
    expect([accepted(buckets, "k0", 2), accepted(buckets, "old", 2)]).toEqual([0, 120]);
  });
});
