import { describe, expect, it } from "vitest";
import type { ExchangeLink } from "../../../../src/adapters/ccxt/account/exchange-link.ts";
import {
  openingOf,
  type RateLimitedCalls,
  type Spender,
  spender,
} from "../../../../src/adapters/ccxt/account/lease-calls.ts";
import type { CallRequests } from "../../../../src/ports/venue.ts";

const ACCOUNT = "live:kraken:api.kraken.com";
/** Of which a second gives back several. */
const FAST = { burst: 100, perSecond: 10.5, reserve: 20 };
const SLOW = { burst: 20, perSecond: 0.5, reserve: 6, pass: 8 };

/** A rate that always has what is asked of it, and what was. */
function spending(
  rate: typeof FAST | typeof SLOW | undefined,
  who: Spender,
  paid?: RateLimitedCalls,
  now = 5000,
) {
  const requests: CallRequests[] = [];
  const time = { now };
  const link = {
    quirks: { costs: { fills: 2, cancel: 0 } },
    rate,
    keeping: {
      rates: {
        async spend(_account: string, calls: CallRequests) {
          requests.push(calls);
          return 0;
        },
      },
    },
    local: { monotonic: () => time.now },
  } as unknown as ExchangeLink;
  return { requests, time, spend: spender(link, ACCOUNT, { who, paid }) };
}

describe("the calls that a pass reserves with its lease", () => {
  it.each([
    ["a second's worth", FAST, false, { calls: 10, kept: 20 }],
    ["the same of all, where people wait", FAST, true, { calls: 10, kept: 0 }],
    ["no more than passes may have at all", { ...FAST, burst: 25 }, false, { calls: 5, kept: 20 }],
    ["one, where there are those of a whole pass", SLOW, false, { calls: 1, kept: 13 }],
    ["one as well, where people wait, if the reserved ones are enough", SLOW, true, { calls: 1, kept: 7 }],
  ])("%s", (_what, rate, isUrgent, calls) => {
    expect(openingOf({ rate }, isUrgent)).toEqual({ ...calls, rate });
  });

  it("are none without a rate limit", () => {
    expect(openingOf({ rate: undefined }, false)).toBeUndefined();
  });
});

describe("a pass with reserved calls", () => {
  it("reserves more once those are used up", async () => {
    const { requests, spend } = spending(FAST, "pass", { calls: 3, kept: 20, rate: FAST, at: 5000 });
    await spend.begin();
    await spend.take("openOrders");
    await spend.take("fills");
    await spend.take("cancel");
    expect(requests).toEqual([]);
    await spend.take("openOrders");
    expect(requests).toEqual([{ calls: 10, kept: 20, rate: FAST }]);
  });

  it("starts without reading its rate limit again; a pass without any reads it once", async () => {
    const paid = spending(SLOW, "pass", { calls: 1, kept: 13, rate: SLOW, at: 5000 });
    await paid.spend.begin();
    await paid.spend.take("openOrders");
    expect(paid.requests).toEqual([]);
    await paid.spend.take("openOrders");
    expect(paid.requests).toEqual([{ calls: 1, kept: 6, rate: SLOW }]);
    const unpaid = spending(SLOW, "pass");
    await unpaid.spend.begin();
    await unpaid.spend.take("openOrders");
    expect(unpaid.requests).toEqual([{ calls: 1, kept: 13, rate: SLOW }]);
  });

  it.each([
    ["as long as the rate has not regained them", 5952, []],
    ["no longer", 5953, [{ calls: 10, kept: 20, rate: FAST }]],
  ])("uses the calls reserved with the lease %s", async (_what, now, expected) => {
    const { requests, spend } = spending(FAST, "pass", { calls: 10, kept: 20, rate: FAST, at: 5000 }, now);
    await spend.begin();
    await spend.take("openOrders");
    expect(requests).toEqual(expected);
  });

  it("uses fewer of them the later it uses them, because the rate has regained some", async () => {
    const { requests, time, spend } = spending(FAST, "pass", { calls: 10, kept: 20, rate: FAST, at: 5000 });
    await spend.take("openOrders");
    time.now += 600;
    // Of 9 calls, 6.3 were regained.
    for (let call = 1; call <= 3; call++) await spend.take("openOrders");
    expect(requests).toEqual([]);
    await spend.take("openOrders");
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["right after its lease", 250, []],
    ["later, because another process can have met a 429", 251, [{ calls: 10, kept: 20, rate: FAST }]],
  ])("looks at its rate before a first call %s", async (_what, passed, wanted) => {
    const { requests, time, spend } = spending(FAST, "pass", { calls: 10, kept: 20, rate: FAST, at: 5000 });
    time.now += passed;
    await spend.begin();
    await spend.take("openOrders");
    expect(requests).toEqual(wanted);
  });

  it("reads its rate limit before its first call once the reserved calls are regained", async () => {
    const { requests, spend } = spending(SLOW, "pass", { calls: 1, kept: 13, rate: SLOW, at: 5000 }, 7001);
    await spend.begin();
    expect(requests).toEqual([{ calls: 1, kept: 13, rate: SLOW }]);
  });
});

/** A rate that makes each caller wait so long, one after the other, and then has what is asked of it. */
function waiting(
  rate: typeof FAST | typeof SLOW | undefined,
  who: Spender,
  waits: readonly number[],
  serial = false,
) {
  const left = [...waits];
  const [slept, requests, exhausted]: [number[], CallRequests[], string[]] = [[], [], []];
  const link = {
    quirks: { name: "kraken", costs: { fills: 2, cancel: 0, kind: 0 }, serial },
    rate,
    keeping: {
      rates: {
        async spend(_account: string, calls: CallRequests) {
          requests.push(calls);
          return left.shift() ?? 0;
        },
        exhaust: async (account: string) => void exhausted.push(account),
      },
    },
    local: { monotonic: () => 5000, sleep: async (millis: number) => void slept.push(millis) },
  } as unknown as ExchangeLink;
  return { slept, requests, exhausted, spend: spender(link, ACCOUNT, { who }) };
}

describe("a caller that waits for its rate limit", () => {
  it.each<[string, typeof FAST | typeof SLOW, Spender, number[], string]>([
    ["eight seconds", SLOW, "person", [5000, 3000], "5000 3000"],
    ["no more than that", SLOW, "person", [5000, 3001], "the rate of calls to kraken is used up for 4 s"],
    ["a tenth of a second for each call that a second regains", FAST, "pass", [1000], "1000"],
    [
      "no more than that, also if urgent",
      FAST,
      "urgent pass",
      [1001],
      "the rate of calls to kraken is used up for 2 s",
    ],
    [
      "not at all where a second regains none",
      SLOW,
      "pass",
      [1],
      "the rate of calls to kraken is used up for 1 s",
    ],
  ])("waits %s", async (_what, rate, who, waits, expected) => {
    const { spend, slept } = waiting(rate, who, waits);
    const result = await spend.take("order").then(
      () => slept.join(" "),
      (error: Error) => error.message,
    );
    expect(result).toBe(expected);
  });

  it("pays each further request of its call, at once where calls are serial", async () => {
    const { spend, requests } = waiting(SLOW, "person", [0, 500]);
    const paid = await spend.take("fills");
    await paid();
    expect(requests).toHaveLength(1);
    await paid();
    expect(requests.map(({ calls, kept }) => [calls, kept])).toEqual([
      [2, 0],
      [2, 0],
      [2, 0],
    ]);
    const serial = waiting(SLOW, "person", [0, 500], true);
    const again = await serial.spend.take("fills");
    await again();
    await expect(again()).rejects.toThrow("is used up for 1 s");
    expect(serial.slept).toEqual([]);
  });

  it("leaves the reserved calls to people and to urgent passes", async () => {
    const kept = async (who: Spender, kind: "order" | "balances" = "order") => {
      const { spend, requests } = waiting(FAST, who, []);
      await spend.take(kind);
      return requests.map((request) => [request.calls, request.kept]);
    };
    expect([await kept("pass"), await kept("urgent pass"), await kept("person")]).toEqual([
      [[10, 20]],
      [[10, 0]],
      [[1, 0]],
    ]);
  });

  it("leaves them as well in an urgent pass that spares them, and in every other pass", async () => {
    for (const [who, isOn, kept] of [
      ["urgent pass", true, 6],
      ["urgent pass", false, 0],
      ["pass", false, 6],
    ] as const) {
      const { spend, requests } = waiting(SLOW, who, []);
      spend.spare(!isOn);
      spend.spare(isOn);
      await spend.take("order");
      expect(requests.map((request) => request.kept)).toEqual([kept]);
    }
  });

  it("pays nothing for a free call, and without a rate limit", async () => {
    const free = waiting(SLOW, "person", []);
    await free.spend.take("cancel");
    await free.spend.exhausted("cancel");
    const unlimited = waiting(undefined, "pass", []);
    await unlimited.spend.begin();
    await (await unlimited.spend.take("order"))();
    await unlimited.spend.exhausted("order");
    for (const one of [free, unlimited]) expect([one.requests, one.exhausted]).toEqual([[], []]);
  });

  it("has nothing left once the exchange reports that", async () => {
    const { spend, requests, exhausted } = waiting(FAST, "pass", []);
    await spend.take("order");
    await spend.take("order");
    expect(requests).toHaveLength(1);
    await spend.exhausted("order");
    await spend.take("order");
    expect([requests.length, exhausted]).toEqual([2, [ACCOUNT]]);
  });

  it("takes the calls of a whole pass first, an urgent one among the reserved ones", async () => {
    const kept = async (who: Spender) => {
      const { spend, requests } = waiting(SLOW, who, []);
      await spend.begin();
      return requests.map((request) => [request.calls, request.kept]);
    };
    expect([await kept("pass"), await kept("urgent pass"), await kept("person")]).toEqual([
      [[1, 13]],
      [[1, 7]],
      [],
    ]);
    await expect(waiting(SLOW, "urgent pass", [3000]).spend.begin()).rejects.toMatchObject({ wait: 3000 });
    const fast = waiting(FAST, "pass", []);
    await fast.spend.begin();
    expect(fast.requests).toEqual([]);
  });
});
