import { describe, expect, it } from "vitest";
import { calculate, longestCalculation, recordOf } from "../../../src/backtest/operations/past.ts";
import { walkedTime } from "../../../src/backtest/ticks.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import type { GridStrategy } from "../../../src/grid/state/state.ts";
import { MINUTE, SECOND } from "../../../src/kernel/time.ts";
import type { Call } from "../../../src/operation.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { Page } from "../../../src/ports/stores/store.ts";
import type { Local } from "../../../src/ports/within-time.ts";
import { d, market } from "../../support/grid.ts";
import { strategy } from "../../support/made.ts";

const CALL = { actor: "local" } as unknown as Call;

/** A store that has so many orders, fills and events, each a millisecond apart, and what it was asked for. */
function history(orders: number, fills = 0, events = 0) {
  const pages: (Page & { readonly of: string })[] = [];
  const list =
    (of: string, count: number, row: (at: number) => object) => async (_id: string, page: Page) => {
      pages.push({ of, ...page });
      const newest = page.before ? page.before.at - 1 : count;
      return Array.from({ length: Math.max(0, Math.min(page.limit, newest)) }, (_, i) => row(newest - i));
    };
  const deps = {
    store: {
      ordersOf: list("orders", orders, (at) => ({ createdAt: at, clientId: `c${at}` })),
      fillsOf: list("fills", fills, (at) => ({ at, tradeId: `t${at}` })),
      eventsOf: list("events", events, (at) => ({ at, id: at })),
      hasMoreThan: async (_id: string, rows: number) => Math.max(orders, fills, events) > rows,
    },
    marketTime: (_account: object, at: number) => at + 0.5,
    local: { monotonic: () => 0, sleep: async () => undefined },
  } as unknown as Deps;
  return { pages, read: () => recordOf(deps, strategy() as GridStrategy, CALL) };
}

describe("the record of a grid", () => {
  it("has all rows of its history, oldest first, events in market time", async () => {
    const { read, pages } = history(2500, 1000, 3);
    const { orders, fills, events } = await read();
    expect([orders.length, orders[0]?.createdAt, orders.at(-1)?.createdAt]).toEqual([2500, 1, 2500]);
    expect([fills.length, fills[0]?.at, events.map(({ at }) => at)]).toEqual([1000, 1, [1.5, 2.5, 3.5]]);
    expect(pages).toEqual([
      { of: "orders", limit: 1000 },
      { of: "orders", limit: 1000, before: { at: 1501, id: "c1501" } },
      { of: "orders", limit: 1000, before: { at: 501, id: "c501" } },
      { of: "fills", limit: 1000 },
      { of: "fills", limit: 1000, before: { at: 1, id: "t1" } },
      { of: "events", limit: 1000 },
    ]);
    expect(await history(0).read()).toEqual({ orders: [], fills: [], events: [] });
  });

  it("is refused beyond 100,000 rows, before any is read", async () => {
    expect((await history(100_000).read()).orders).toHaveLength(100_000);
    const { read, pages } = history(1, 100_001);
    await expect(read()).rejects.toThrow("the grid has more than 100000 orders, fills or events");
    expect(pages).toEqual([]);
  });
});

describe("a calculation", () => {
  it("has two seconds on a server, and no limit on the command line", () => {
    expect([
      longestCalculation({ actor: "t1" } as never),
      longestCalculation({ actor: "t1" } as never, 5),
    ]).toEqual([2 * SECOND, 5]);
    expect(longestCalculation(CALL)).toBe(Number.POSITIVE_INFINITY);
  });

  it("runs in a thread if there is one, but not for a canceled request", async () => {
    const asked: unknown[][] = [];
    const calculationThread = async (...args: unknown[]) => {
      asked.push(args);
      return "done";
    };
    const deps = { calculationThread, local: {} } as unknown as Deps;
    const signal = new AbortController();
    const call = { actor: "t1", signal: signal.signal } as unknown as Call;
    const job = {} as never;
    expect(await calculate(deps, ["grid", job], call)).toBe("done");
    expect(asked).toEqual([["grid", job, { maxMillis: 2 * SECOND, signal: signal.signal }]]);
    signal.abort();
    await expect(calculate(deps, ["grid", job], call)).rejects.toThrow();
    expect(asked).toHaveLength(1);
  });

  it("ends when its time is over, or when enough of the callers have left", async () => {
    const past = candlesOf(
      { pair: "BTC/USDT", spanMillis: MINUTE },
      ["105", "99", "111"].map((price, minute) => ({
        at: minute * MINUTE,
        open: price,
        high: price,
        low: price,
        close: price,
        volume: 1,
      })),
    );
    const request = { lowerPrice: d("100"), upperPrice: d("110"), gridLevels: 1, orderSize: d("100") };
    const options = { market: market(), rules: { tickInterval: MINUTE } };
    const job = {
      request,
      past,
      options,
      over: { definition: "grid", config: {}, exchange: "kraken", fills: 0 },
    };
    /** So many milliseconds pass between two looks at the clock. */
    const barsIn = async (millis: number, waiting?: object) => {
      let now = 0;
      const local = { monotonic: () => (now += millis), sleep: async () => undefined } as unknown as Local;
      const call = { actor: "t1", waiting } as unknown as Call;
      const { bars, isWhole } = await calculate({ local }, ["grid", job], call);
      return [bars, isWhole];
    };
    const enough = (isEnough: boolean) => ({
      isEnough: () => isEnough,
      hear: () => undefined,
      share: () => 1,
    });
    expect([await barsIn(0), await barsIn(0, enough(false))]).toEqual([
      [3, true],
      [3, true],
    ]);
    expect([
      await barsIn(0, enough(true)),
      await barsIn(5 * SECOND),
      await barsIn(5 * SECOND, enough(false)),
    ]).toEqual([
      [1, false],
      [1, false],
      [1, false],
    ]);
  });

  it("covers the time from its first bar to the end of the last one it processed", () => {
    const row = { open: "1", high: "1", low: "1", close: "1", volume: 1 };
    const candles = candlesOf(
      { pair: "BTC/USDT", spanMillis: MINUTE },
      [0, 1, 5].map((minute) => ({ at: minute * MINUTE, ...row })),
    );
    expect([0, 1, 2, 3].map((bars) => walkedTime(candles, bars).until / MINUTE)).toEqual([1, 1, 2, 6]);
    expect(walkedTime(candles, 3).from).toBe(0);
  });
});
