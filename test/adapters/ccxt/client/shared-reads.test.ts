import { describe, expect, it } from "vitest";
import {
  outboundRate,
  type PublicBudget,
  publicBudgets,
  sharedReads,
} from "../../../../src/adapters/ccxt/client/shared-reads.ts";
import { VenueError } from "../../../../src/kernel/errors.ts";
import { SECOND } from "../../../../src/kernel/time.ts";

const PAUSE = { first: 5 * SECOND, max: 20 * SECOND };
const NONE_LEFT = new VenueError("too_many", "none is left");

/** Reads of one exchange, and how often it was called. */
function reads(keptFor?: number, budget?: PublicBudget) {
  const time = { now: 0 };
  const calls: string[] = [];
  let failure: Error | undefined;
  const shared = sharedReads({
    name: "kraken",
    local: { monotonic: () => time.now },
    pause: PAUSE,
    keptFor,
    budget,
  });
  const read = (about = "BTC", kind = "ticker") =>
    shared.read({ kind, about }, async () => {
      const number = calls.push(about);
      await Promise.resolve();
      if (failure) throw failure;
      return `${about} ${number}`;
    });
  return { time, calls, read, fail: (error?: Error) => (failure = error) };
}

describe("a shared read", () => {
  it("serves the same request for a second", async () => {
    const { time, read } = reads();
    expect(await read()).toBe("BTC 1");
    time.now = 999;
    expect([await read(), await read("ETH"), await read("BTC", "book")]).toEqual(["BTC 1", "ETH 2", "BTC 3"]);
    time.now = 1000;
    expect(await read()).toBe("BTC 4");
    time.now = 1999;
    expect(await read()).toBe("BTC 4");
  });

  it("serves every request that comes while it runs, its failure too", async () => {
    const { read, fail, calls } = reads();
    expect(await Promise.all([read(), read(), read()])).toEqual(["BTC 1", "BTC 1", "BTC 1"]);
    fail(new VenueError("refused", "no"));
    const results = await Promise.allSettled([read("ETH"), read("ETH")]);
    expect([results.map(({ status }) => status), calls.length]).toEqual([["rejected", "rejected"], 2]);
    fail();
    expect(await read("ETH")).toBe("ETH 3");
  });

  it("is not shared if nothing is cached", async () => {
    const { read } = reads(0);
    expect(await Promise.all([read(), read()])).toEqual(["BTC 1", "BTC 2"]);
  });

  it("without calls left is the last response for ten seconds, then none", async () => {
    let refusal: VenueError | undefined;
    const { time, read, calls } = reads(undefined, { refusal: () => refusal });
    await read();
    refusal = NONE_LEFT;
    time.now = 9999;
    expect(await read()).toBe("BTC 1");
    await expect(read("ETH")).rejects.toBe(NONE_LEFT);
    time.now = 10_000;
    await expect(read()).rejects.toBe(NONE_LEFT);
    refusal = undefined;
    expect([await read(), calls.length]).toEqual(["BTC 2", 2]);
  });

  it("forgets the oldest of more than five hundred responses", async () => {
    let refusal: VenueError | undefined;
    const { time, read } = reads(undefined, { refusal: () => refusal });
    for (let index = 0; index <= 500; index++) await read(String(index));
    time.now = 2000;
    refusal = NONE_LEFT;
    await expect(read("0")).rejects.toBe(NONE_LEFT);
    expect([await read("1"), await read("500")]).toEqual(["1 2", "500 501"]);
  });
});

describe("reads of an exchange that fails", () => {
  const outage = new VenueError("unavailable", "down");
  const failing = async (error: Error, count: number) => {
    const one = reads(0);
    one.fail(error);
    for (let request = 0; request < count; request++) await one.read().catch(() => undefined);
    return one;
  };
  const isCalled = async ({ read, calls }: ReturnType<typeof reads>) => {
    const before = calls.length;
    const message = await read().catch((error: Error) => error.message);
    return [calls.length - before, message];
  };

  it("pause after five failures in a row, and report when they go on", async () => {
    const one = await failing(outage, 5);
    const paused = (count: number, seconds: number) =>
      `kraken has failed ${count} times in a row; edgemaker retries in ${seconds} s`;
    expect(await isCalled(one)).toEqual([0, paused(5, 5)]);
    one.time.now = 4001;
    expect(await isCalled(one)).toEqual([0, paused(5, 1)]);
    // Another kind of read goes on.
    await one.read("BTC", "book").catch(() => undefined);
    expect(one.calls).toHaveLength(6);
    one.time.now = 5000;
    expect(await isCalled(one)).toEqual([1, "down"]);
    // Each failure doubles the pause, up to the longest one.
    expect(await isCalled(one)).toEqual([0, paused(6, 10)]);
    for (const at of [15_000, 35_000]) {
      one.time.now = at;
      expect(await isCalled(one)).toEqual([1, "down"]);
    }
    expect(await isCalled(one)).toEqual([0, paused(8, 20)]);
  });

  it("allow one call after the pause, and all of them after it succeeds", async () => {
    const one = await failing(outage, 5);
    one.time.now = 5000;
    one.fail();
    const first = one.read();
    expect(await isCalled(one)).toMatchObject([0, /failed 5 times/]);
    expect(await first).toBe("BTC 6");
    expect(await isCalled(one)).toEqual([1, "BTC 7"]);
    one.fail(outage);
    expect([await isCalled(one), await isCalled(one)]).toEqual([
      [1, "down"],
      [1, "down"],
    ]);
  });

  it.each([
    ["four outages", outage, 4, 1],
    ["five rate limits", new VenueError("rate_limited", "slow"), 5, 0],
    ["five rejections", new VenueError("unlisted", "no"), 5, 1],
    ["five errors of our own", new TypeError("x"), 5, 1],
  ])("count outages and rate limits: %s", async (_what, error, count, calls) => {
    expect((await isCalled(await failing(error, count)))[0]).toBe(calls);
  });

  it("count anew after another answer", async () => {
    const one = await failing(outage, 4);
    one.fail(new VenueError("unlisted", "no"));
    await isCalled(one);
    one.fail(outage);
    for (let request = 1; request <= 5; request++) expect(await isCalled(one)).toEqual([1, "down"]);
    expect((await isCalled(one))[0]).toBe(0);
  });
});

describe("the rate limit of public calls", () => {
  it("counts by host, whatever the account is called, and reports when a call is available", () => {
    let now = 0;
    const budgetOf = publicBudgets(() => now);
    const rate = { burst: 2, perSecond: 0.5 };
    const [one, same, other] = [
      budgetOf("a", "kraken", rate),
      budgetOf("a", "mine", rate),
      budgetOf("b", "x", rate),
    ];
    expect([one.refusal(), same.refusal(), other.refusal()]).toEqual([undefined, undefined, undefined]);
    expect(one.refusal()).toMatchObject({
      failure: "too_many",
      retryAfterSeconds: 2,
      message: "kraken gets at most 0.5 public requests per second; retry in 2 s",
    });
    now = 2000;
    expect(one.refusal()).toBeUndefined();
  });

  it("is the operator's setting, or the exchange's", () => {
    const own = { burst: 30, perSecond: 5 };
    expect([outboundRate(own, undefined), outboundRate(own, 7)]).toEqual([own, { burst: 7, perSecond: 7 }]);
  });
});
