import { describe, expect, it } from "vitest";
import { readSpan } from "../../../../src/adapters/ccxt/account/fills.ts";

const NOW = 1_000_000;
const row = (at: number, over: object = {}) => ({
  ...{ id: `t${at}`, order: "x1", symbol: "BTC/USDT", side: "buy", price: "100", amount: "1" },
  ...{ cost: "100", fee: { cost: "0.1", currency: "USDT" }, timestamp: at, ...over },
});
/** An exchange that shows pages of three, newest first, and forgets what is older than `back`. */
const reading = (rows: readonly object[], request: { from: number; to?: number }, reach: object = {}) => {
  const quirks = {
    ...{ name: "it", fillReach: { page: 3, tick: 1, ...reach } },
    fills: async (_: unknown, __: string, { from, to }: { from: number; to: number }) =>
      rows
        .filter((one) => "timestamp" in one && Number(one.timestamp) >= from && Number(one.timestamp) < to)
        .toReversed()
        .slice(0, 3),
  };
  const session = {
    now: () => NOW,
    read: async (_: string, __: string, call: (exchange: unknown) => unknown) => call({}),
  };
  return readSpan({ session, quirks } as never, "BTC/USDT", request);
};

describe("a query for executions", () => {
  it("covers its span if its page is not full", async () => {
    const { fills, covered } = await reading([row(10), row(20)], { from: 0, to: 100 });
    expect([fills.map(({ id }) => id), covered]).toEqual([["t10", "t20"], { from: 0, to: 100 }]);
  });

  it("covers only what follows the oldest row of a full page", async () => {
    const { fills, covered } = await reading(
      [10, 20, 30, 40].map((at) => row(at)),
      { from: 0, to: 100 },
    );
    expect([fills.map(({ id }) => id), covered]).toEqual([["t20", "t30", "t40"], { from: 21, to: 100 }]);
  });

  it("covers no future, and no more than one query of the exchange reaches", async () => {
    expect((await reading([], { from: NOW - 50, to: NOW + 90 })).covered).toEqual({
      from: NOW - 50,
      to: NOW,
    });
    expect((await reading([], { from: 0, to: 100 }, { span: 40 })).covered).toEqual({ from: 0, to: 40 });
  });

  it("names rows that cannot be read, and skips other pairs", async () => {
    const odd = [row(10, { fee: undefined }), row(20, { symbol: "ETH/USDT" }), row(30)];
    const { fills, unreadable } = await reading(odd, { from: 0, to: 100 });
    expect(fills.map(({ id }) => id)).toEqual(["t30"]);
    expect(unreadable).toMatchObject([
      { id: "t10", orderId: "x1", at: 10, reason: expect.stringContaining("fee") },
    ]);
  });
});
