import { describe, expect, it } from "vitest";
import { backtestOperation } from "../../../src/backtest/operations/backtest.ts";
import { BacktestShape } from "../../../src/backtest/schema/answer.ts";
import { backtestView } from "../../../src/backtest/schema/answer-view.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import { AppError } from "../../../src/kernel/errors.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { Call } from "../../../src/operation.ts";
import type { AnyStrategyDefinition, StrategyInput } from "../../../src/ports/definition.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { CandlesRequest } from "../../../src/ports/venue.ts";
import { d } from "../../support/grid.ts";
import { ownStrategy } from "../own-strategy.ts";

const START = 1_767_225_600_000;
const past = (prices: readonly number[]) =>
  candlesOf(
    { pair: "BTC/USDT", spanMillis: MINUTE },
    prices.map((price, i) => {
      const text = String(price);
      return { at: START + i * MINUTE, open: text, high: text, low: text, close: text, volume: 1 };
    }),
  );
async function ran(
  definition: AnyStrategyDefinition,
  kept: object = {},
  input: object = {},
  local: object = { monotonic: () => 0, sleep: async () => undefined },
  more: object = {},
) {
  const asked: string[] = [];
  const deps = {
    exchanges: ["kraken", "mexc", "gateio"].map((id) => ({ id })),
    local,
    kept: {
      async candles({ exchange }: CandlesRequest) {
        asked.push(exchange);
        if (exchange === "gateio") return undefined;
        return past(exchange === "mexc" ? [200, 201, 202, 203] : [100, 100, 98, 98]);
      },
      ...kept,
    },
    ...more,
  } as unknown as Deps;
  const operation = backtestOperation(["kraken"], [definition]);
  const given = {
    definition: "my-own",
    config: { amount: 1 },
    exchange: "kraken",
    symbol: "BTC/USDT",
    timeframe: "1m",
    fills: 9,
    quoteBudget: d("1000"),
    tick: d("0.01"),
    lot: d("0.001"),
    makerFee: 0n,
    tickInterval: MINUTE,
    fill: "cross",
    extremes: "nearest",
    marketSpreadPercent: 0n,
    slippagePercent: 0n,
    ...input,
  };
  const answer = await operation.run(deps, given as never, { actor: "local" } as unknown as Call);
  return { answer: answer as Readonly<Record<string, unknown>>, asked, operation };
}

describe("a backtest of a strategy of one's own", () => {
  it("has its result, its settings and the prices of other exchanges", async () => {
    const { definition, references } = ownStrategy();
    const { answer, asked } = await ran(definition);
    // 1 base bought at 99 is worth 98.
    expect(answer).toMatchObject({
      exchange: "kraken",
      symbol: "BTC/USDT",
      definition: "my-own",
      config: { amount: 1 },
      lastError: null,
      total: "-1",
      position: "1",
      filledOrders: 1,
      bars: 4,
      details: { passes: 4, state: null },
      fromAt: START,
      untilAt: START + 4 * MINUTE,
      fills: [{ side: "buy", price: "99", amount: "1", fee: "" }],
    });
    expect((answer.warnings as { code: string }[]).map(({ code }) => code)).toEqual(["no_book", "few_fills"]);
    expect(asked).toEqual(["kraken", "mexc", "gateio"]);
    expect(new Set(references)).toEqual(new Set([null, "200", "201", "202"]));
  });

  it("warns if it uses prices of other exchanges and there are none", async () => {
    const codes = async (...of: Parameters<typeof ran>) => {
      const { answer, asked } = await ran(...of);
      return [(answer.warnings as { code: string }[]).map(({ code }) => code).at(-1), asked];
    };
    const alone = {
      candles: async ({ exchange }: CandlesRequest) => (exchange === "kraken" ? past([100, 100]) : undefined),
    };
    expect(await codes(ownStrategy().definition, alone)).toEqual(["no_reference", []]);
    expect(await codes(ownStrategy({ reference: false }).definition)).toEqual(["few_fills", ["kraken"]]);
  });

  it("requests other exchanges' candles of the span and from the time of its own", async () => {
    const requests: CandlesRequest[] = [];
    const candles = async (request: CandlesRequest) => {
      requests.push(request);
      return past([100, 100, 98, 98]);
    };
    await ran(ownStrategy().definition, { candles }, { timeframe: "5m" });
    expect(requests[1]).toMatchObject({ exchange: "mexc", span: MINUTE, since: START });
  });

  it("requests candles of other markets from before the first call, as many as it gets", async () => {
    const inputs: object[] = [];
    const { definition } = ownStrategy({
      reference: false,
      candles: {
        eth: { timeframe: "5m", count: 3, symbol: "ETH/USDT" },
        mexc: { timeframe: "1m", count: 2, exchange: "mexc" },
      },
      orders({ candles }: { candles: Record<string, readonly { at: number }[]> }) {
        inputs.push(Object.entries(candles).map(([name, rows]) => [name, ...rows.map(({ at }) => at)]));
        return [];
      },
    });
    const requests: object[] = [];
    const venue = (exchange: string) => ({
      async candles(symbol: string, { span, since }: { span: number; since: number }) {
        requests.push({ exchange, symbol, span, since });
        const price = d("100");
        const bar = { open: price, high: price, low: price, close: price, volume: d("1") };
        return Array.from({ length: 9 }, (_, i) => ({ ...bar, at: since + i * span }));
      },
    });
    const stored = {
      candles: async ({ exchange, symbol }: CandlesRequest) =>
        exchange === "kraken" && symbol === "BTC/USDT" ? past([100, 100, 98, 98]) : undefined,
    };
    const local = { monotonic: () => 0, sleep: async () => undefined };
    const { answer } = await ran(definition, stored, { single: true }, local, { venue });
    expect(answer).toMatchObject({ lastError: null, details: { passes: 4 } });
    expect(requests).toEqual([
      { exchange: "kraken", symbol: "ETH/USDT", span: 5 * MINUTE, since: START - 15 * MINUTE },
      { exchange: "mexc", symbol: "BTC/USDT", span: MINUTE, since: START - 2 * MINUTE },
    ]);
    expect(inputs[0]).toEqual([
      ["eth", START - 15 * MINUTE, START - 10 * MINUTE, START - 5 * MINUTE],
      ["mexc", START - 2 * MINUTE, START - MINUTE],
    ]);
  });

  it("has no band if only one run is requested", async () => {
    const { answer } = await ran(ownStrategy({ reference: false }).definition, {}, { single: true });
    expect(answer.band).toBeNull();
  });

  it("has a band over both orders of the extremes and both fill rules", async () => {
    const { definition } = ownStrategy({
      reference: false,
      orders: ({ position }: StrategyInput<object>) =>
        String(position.base) === "0"
          ? [{ id: "bid", side: "buy", price: "99", size: 1 }]
          : [{ id: "ask", side: "sell", price: "101", size: 1 }],
    });
    const bandOf = async (low: string, extremes: string) => {
      const bar = { at: START, open: "100", high: "102", low, close: "100", volume: 1 };
      const kept = { candles: async () => candlesOf({ pair: "BTC/USDT", spanMillis: MINUTE }, [bar]) };
      const { answer } = await ran(definition, kept, { extremes, tickInterval: 5000 });
      return [answer.filledOrders, (answer.band as { count: object }).count];
    };
    // It buys on the way down, and sells on the way up if that comes later.
    expect(await bandOf("98", "low_first")).toEqual([2, { least: 1, most: 2 }]);
    expect(await bandOf("98", "high_first")).toEqual([1, { least: 1, most: 2 }]);
    // At 99 only touching counts.
    expect(await bandOf("99", "low_first")).toEqual([0, { least: 0, most: 2 }]);
  });

  it("has a return of zero if its budget is worth nothing", async () => {
    const { definition } = ownStrategy({ reference: false });
    const kept = { candles: async () => past([0.1, 0.1]) };
    // 1e-18 base at 0.1 is less than half a unit of quote.
    const { answer } = await ran(definition, kept, { quoteBudget: undefined, baseBudget: 1n });
    expect([answer.total, answer.totalPercent, answer.position]).toEqual(["0", 0, "0.000000000000000001"]);
  });

  it("ends with the fault of its function, which its view names first", async () => {
    const { definition } = ownStrategy({
      orders() {
        throw new Error("no luck");
      },
    });
    const { answer } = await ran(definition);
    expect(answer.lastError).toMatch(/no luck/);
    const view = backtestView(answer) as Readonly<Record<string, unknown>>;
    expect([Object.keys(view)[0], view.config]).toEqual(["error", { amount: 1 }]);
    expect(view.total).toBe("0 (0 %)");
    expect(Object.keys(backtestView({ ...answer, lastError: null }) as object)).not.toContain("error");
  });

  it("names the file whose function never ends", async () => {
    const stopped = async (error: Error, source?: string) => {
      let now = 0;
      const sleep = async () => {
        throw error;
      };
      // Each look at this clock is longer than a slice, after which the calculation rests.
      const { definition } = ownStrategy(source === undefined ? {} : { source });
      await ran(definition, {}, {}, { monotonic: () => (now += 100), sleep });
    };
    const late = new Error("it took too long");
    await expect(stopped(late, "my-own.ts")).rejects.toThrow(
      new AppError("Fetch failed", "my-own.ts: it took too long"),
    );
    await expect(stopped(late)).rejects.toBe(late);
    const refused = new AppError("Invalid request", "not now");
    await expect(stopped(refused, "my-own.ts")).rejects.toBe(refused);
  });

  it("limits the time of each call, not of all calls between two candles", async () => {
    let [calls, most, depth] = [0, 0, 0];
    const guard = <T>(work: () => T): T => {
      if (depth === 0) calls = 0;
      depth++;
      const result = work();
      depth--;
      most = Math.max(most, calls);
      return result;
    };
    const orders = () => {
      calls++;
      return [];
    };
    await ran({ ...ownStrategy({ orders }).definition, guard }, {}, { tickInterval: 1000 });
    // A backtest makes each call twice.
    expect(most).toBe(2);
  });

  it("is a definition of the one operation, which adds no path", async () => {
    const { operation, answer } = await ran(ownStrategy().definition);
    expect(BacktestShape().strict().parse(answer)).toEqual(answer);
    expect(operation.http.route).toBe("POST /backtest");
    const where = { exchange: "kraken", symbol: "BTC/USDT", definition: "my-own" };
    expect(operation.input.safeParse({ ...where, config: { amount: 1 } }).success).toBe(true);
    expect(operation.input.safeParse({ ...where, config: {} }).error?.issues).toMatchObject([
      { path: ["config", "amount"] },
    ]);
  });

  it("has the state that its function returned last, and its orders that were not placed", async () => {
    const { definition } = ownStrategy({
      reference: false,
      initial: 0,
      orders: ({ state }: StrategyInput<object, number>) => ({
        state: state + 1,
        orders: [{ id: "far", side: "buy", price: "90", size: 1000 }],
      }),
    });
    const { answer } = await ran(definition);
    expect(answer.refused).toMatchObject([{ id: "far", reason: "no_quote" }]);
    expect(answer.details).toMatchObject({ passes: 4, state: 4 });
  });

  it("has an equity curve that begins with its funds and ends with its total", async () => {
    const { definition } = ownStrategy({ reference: false });
    const { answer } = await ran(definition);
    const series = answer.series as { equity: string; buyAndHold: string }[];
    expect(series.map(({ equity }) => equity)).toEqual(["1000", "1000", "999", "999"]);
    expect(series.map(({ buyAndHold }) => buyAndHold)).toEqual(["1000", "1000", "980", "980"]);
    expect(answer).toMatchObject({ total: "-1", invested: "1000", holding: { start: "0", base: "-20" } });
  });
});
