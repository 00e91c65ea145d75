import { describe, expect, it } from "vitest";
import { readOrders, readSpan } from "../../../../src/adapters/ccxt/account/fills.ts";

const NOW = 1_000_000;
const row = (at: number, over: object = {}) => ({
  id: `t${at}`,
  order: "x1",
  symbol: "BTC/USDT",
  side: "buy",
  price: "100",
  amount: "1",
  cost: "100",
  fee: { cost: "0.1", currency: "USDT" },
  timestamp: at,
  ...over,
});
/** An exchange that shows pages of three, newest first, and forgets what is older than `back`. */
const reading = (rows: readonly object[], request: { from: number; to?: number }, reach: object = {}) => {
  const quirks = {
    name: "it",
    fillReach: { page: 3, tick: 1, ...reach },
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

/** An exchange of pages of three that goes on after some rows, or not, and what it was asked for. */
function paging(rows: readonly object[], reach: object) {
  const asked: unknown[] = [];
  const quirks = {
    name: "it",
    fillReach: { page: 3, tick: 10, ...reach },
    fills: async (_: unknown, __: string, span: { from: number; to: number }, after: readonly object[]) => {
      asked.push([span.from, span.to, after.length]);
      const found = rows.filter(({ timestamp }: { timestamp?: number }) => {
        const at = timestamp ?? span.from;
        return at >= span.from && at < span.to;
      });
      return found.toReversed().slice(after.length, after.length + 3);
    },
    fillsOf: async (_: unknown, symbol: string, ids: readonly string[], span: object) => {
      asked.push([symbol, ids, span]);
      return rows;
    },
  };
  const session = {
    now: () => NOW,
    read: async (kind: string, _symbol: string, call: (exchange: unknown) => unknown) => {
      expect(kind).toBe("fills");
      return call({});
    },
  };
  return { asked, parts: { session, quirks } as never };
}

describe("a query whose newest unit of time fills a page", () => {
  const inOne = (count: number) => Array.from({ length: count }, (_, i) => row(90, { id: `t${i}` }));

  it("goes on after its rows, where the exchange does", async () => {
    const { asked, parts } = paging(inOne(7), { goesOn: true });
    const { fills, covered } = await readSpan(parts, "BTC/USDT", { from: 0, to: 100 });
    expect([fills.length, covered, asked]).toEqual([
      7,
      { from: 0, to: 100 },
      [
        [0, 100, 0],
        [0, 100, 3],
        [0, 100, 6],
      ],
    ]);
  });

  it("is divided into milliseconds elsewhere", async () => {
    const rows = [90, 91, 93, 94, 95, 97, 99].map((at) => row(at));
    const { parts } = paging([row(80), ...rows], { goesOn: false });
    const { fills, covered } = await readSpan(parts, "BTC/USDT", { from: 0, to: 100 });
    expect([fills.map(({ at }) => at), covered]).toEqual([
      [90, 91, 93, 94, 95, 97, 99],
      { from: 90, to: 100 },
    ]);
    // Of four in a millisecond, the page shows three.
    const hidden = paging(inOne(4), { goesOn: false });
    const read = await readSpan(hidden.parts, "BTC/USDT", { from: 0, to: 100 });
    expect(read.fills).toHaveLength(3);
  });

  it("covers nothing of its first unit if no row has a time", async () => {
    const rows = [1, 2, 3].map((id) => row(0, { id: `t${id}`, timestamp: undefined }));
    const { parts } = paging(rows, { goesOn: true });
    const { fills, unreadable, covered } = await readSpan(parts, "BTC/USDT", { from: 0, to: 100 });
    expect([fills, unreadable.length, covered]).toEqual([[], 3, { from: 10, to: 100 }]);
  });

  it("does not go on for ever", async () => {
    const { parts } = paging(inOne(603), { goesOn: true });
    await expect(readSpan(parts, "BTC/USDT", { from: 0, to: 100 })).rejects.toThrow(
      "it returns an endless list of trades for one moment",
    );
    const most = paging(inOne(599), { goesOn: true });
    expect((await readSpan(most.parts, "BTC/USDT", { from: 0, to: 100 })).fills).toHaveLength(599);
  });
});

describe("bounds of a query", () => {
  const bounds = async (request: { from: number; to?: number }, reach: object = {}) => {
    const { asked, parts } = paging([], reach);
    const { covered, now } = await readSpan(parts, "BTC/USDT", request);
    expect(now).toBe(NOW);
    return [asked, covered];
  };
  it("are whole units of the exchange, and include now", async () => {
    expect(await bounds({ from: 15, to: 25 })).toEqual([[[10, 30, 0]], { from: 15, to: 25 }]);
    expect(await bounds({ from: NOW - 5 })).toEqual([[[NOW - 10, NOW + 10, 0]], { from: NOW - 5, to: NOW }]);
    expect(await bounds({ from: NOW - 5, to: NOW })).toEqual([
      [[NOW - 10, NOW, 0]],
      { from: NOW - 5, to: NOW },
    ]);
  });
  it("begin a minute after what the exchange has forgotten", async () => {
    const back = 200_000;
    const first = NOW - back + 60_000;
    expect(await bounds({ from: 0 }, { back })).toEqual([[[first, NOW + 10, 0]], { from: first, to: NOW }]);
    // All of it is forgotten: nobody is asked.
    expect(await bounds({ from: 0, to: first }, { back })).toEqual([[], { from: 0, to: first }]);
  });
});

describe("executions of orders", () => {
  it("are read span by span, since a time", async () => {
    const { asked, parts } = paging([row(20), row(10), row(20)], { span: 400_000, back: 900_000 });
    const found = await readOrders(parts, "BTC/USDT", ["x1"], 0);
    expect(found.fills.map(({ at }) => at)).toEqual([10, 20]);
    // From a minute after the oldest that the exchange has: at 160,010.
    expect(asked).toEqual(
      [
        [160_010, 560_010],
        [560_010, 960_010],
        [960_010, NOW + 10],
      ].map(([from, to]) => ["BTC/USDT", ["x1"], { from, to }]),
    );
    const late = paging([], {});
    await readOrders(late.parts, "BTC/USDT", ["x1", "x2"], NOW - 5);
    expect(late.asked).toEqual([["BTC/USDT", ["x1", "x2"], { from: NOW - 10, to: NOW + 10 }]]);
  });

  it("that cannot be read have what is readable of them", async () => {
    const bad = { fee: undefined, cost: "-1" };
    const { parts } = paging(
      [row(10, bad), row(20, { ...bad, id: "", order: 5 }), row(30, { ...bad, timestamp: 1.5 })],
      {},
    );
    const { fills, unreadable } = await readOrders(parts, "BTC/USDT", ["x1"], 0);
    expect(fills).toEqual([]);
    expect(unreadable.map(({ id, orderId, at }) => [id, orderId, at])).toEqual([
      ["t10", "x1", 10],
      [null, null, 20],
      ["t30", "x1", null],
    ]);
  });
});
