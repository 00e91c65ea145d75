import { describe, expect, it } from "vitest";
import type { ExchangeLink } from "../../../../src/adapters/ccxt/account/exchange-link.ts";
import {
  openingOf,
  type PaidCalls,
  type Spender,
  spender,
} from "../../../../src/adapters/ccxt/account/spending.ts";
import type { CallRequests } from "../../../../src/ports/venue.ts";

const ACCOUNT = "live:kraken:api.kraken.com";
/** Of which a second gives back several. */
const FAST = { burst: 100, perSecond: 10.5, reserve: 20 };
const SLOW = { burst: 20, perSecond: 0.5, reserve: 6, pass: 8 };

/** A rate that always has what is asked of it, and what was. */
function spending(rate: typeof FAST | typeof SLOW | undefined, who: Spender, paid?: PaidCalls, now = 5000) {
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
    ["nothing, where a second gives back none and people wait", SLOW, true, undefined],
  ])("%s", (_what, rate, isUrgent, calls) => {
    expect(openingOf({ rate }, isUrgent)).toEqual(calls && { ...calls, rate });
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
