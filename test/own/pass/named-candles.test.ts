import { expect, it } from "vitest";
import { backtest, simulate } from "../../../cli/testing/package.ts";
import { kindsOf } from "../../../src/engine/accounts.ts";
import { runPass } from "../../../src/engine/pass/pass.ts";
import { HOUR, MINUTE, SECOND, TIMEFRAMES } from "../../../src/kernel/time.ts";
import { kindsWith } from "../../../src/kinds.ts";
import { createOperations } from "../../../src/operations.ts";
import { defineStrategy, type StrategyCandle, z } from "../../../src/own/package.ts";
import type { AnyStrategyDefinition } from "../../../src/ports/definition.ts";
import { EXCHANGES, testSandbox } from "../../support/sandbox.ts";
import { startBody } from "../../support/starts.ts";

const START = 1_767_225_600_000;

const REQUESTS = {
  own: { timeframe: "5m", count: 2 },
  slow: { timeframe: "15m", count: 3 },
  eth: { timeframe: "1m", count: 2, symbol: "ETH/USDT" },
  gate: { timeframe: "5m", count: 2, exchange: "gateio" },
} as const;

interface Observed {
  readonly now: number;
  readonly candles: Readonly<Record<keyof typeof REQUESTS, readonly StrategyCandle[]>>;
}

/** Records what it receives, and buys nothing. */
function recorder() {
  const inputs: Observed[] = [];
  const definition = defineStrategy({
    name: "several",
    config: z.object({}),
    candles: REQUESTS,
    orders({ now, candles }) {
      inputs.push({ now, candles });
      return [];
    },
  });
  return { inputs, definition };
}

/** The ends of the newest candles before their call, by request; undefined without a candle. */
const agesOf = ({ now, candles }: Observed) =>
  Object.entries(REQUESTS).map(([name, { timeframe }]) => {
    const last = candles[name as keyof typeof REQUESTS].at(-1);
    return last && now - (last.at + TIMEFRAMES[timeframe]);
  });

const rising = (from: number) => Array.from({ length: 40 }, (_, i) => from + i);

it("passes several timeframes and candles of other markets in a backtest, and none of the future", () => {
  const { inputs, definition } = recorder();
  const { error } = backtest(definition, {
    config: {},
    prices: rising(60_000),
    candles: { eth: rising(3000), gate: rising(61_000) },
    quote: 1000,
    tickInterval: 20 * SECOND,
  });
  expect(error).toBeNull();
  expect(inputs.length).toBeGreaterThan(100);
  for (const input of inputs) for (const age of agesOf(input)) expect(age ?? 0).toBeGreaterThanOrEqual(0);
  const last = inputs.find(({ now }) => now === START + 37 * MINUTE)?.candles;
  const closes = (name: keyof typeof REQUESTS) => last?.[name].map(({ close }) => String(close));
  expect([closes("own"), closes("slow")]).toEqual([
    ["60030", "60035"],
    ["60015", "60030"],
  ]);
  expect([closes("eth"), closes("gate")]).toEqual([
    ["3036", "3037"],
    ["61030", "61035"],
  ]);
});

it("refuses a backtest without the candles of another market, and says what to do", () => {
  const { definition } = recorder();
  const run = () =>
    backtest(definition, { config: {}, prices: rising(1), candles: { eth: rising(1) }, quote: 1 });
  expect(run).toThrow(
    "several uses candles of 5m at gateio, and there are none of this time; download them first with `edgemaker candles download --exchange …",
  );
});

it("does not call the function when the stored candles of another market have ended", () => {
  const { inputs, definition } = recorder();
  const { error } = backtest(definition, {
    config: {},
    prices: rising(60_000),
    candles: { eth: rising(3000).slice(0, 10), gate: rising(61_000) },
    quote: 1000,
    tickInterval: MINUTE,
  });
  expect(error).toBe("candles of 1m of ETH/USDT were not read, so the strategy is not called");
  expect(Math.max(...inputs.map(({ now }) => now))).toBe(START + 11 * MINUTE);
});

it("reads them in the sandbox, under crashes", async () => {
  const { inputs, definition } = recorder();
  const { problems } = await simulate(definition, { config: {}, passes: 60 });
  expect(problems).toEqual([]);
  expect(inputs.length).toBeGreaterThan(60);
  for (const input of inputs)
    for (const [index, { timeframe }] of Object.values(REQUESTS).entries()) {
      const age = agesOf(input)[index] ?? Number.NaN;
      expect([age >= 0, age < 2 * TIMEFRAMES[timeframe]]).toEqual([true, true]);
    }
  const prices = inputs.at(-1)?.candles;
  expect(prices?.eth.at(-1)?.close.isLess(prices.own.at(-1)?.close.times(0.5) ?? 0)).toBe(true);
  expect(String(prices?.gate.at(-1)?.close)).not.toBe(String(prices?.own.at(-1)?.close));
});

it("reads each series once per candle, also of another exchange, and refuses one that is not configured", async () => {
  const { inputs, definition } = recorder();
  const elsewhere = {
    ...definition,
    name: "elsewhere",
    candles: { all: { ...REQUESTS.gate, exchange: "nope" } },
  };
  const all = [definition, elsewhere as AnyStrategyDefinition] as AnyStrategyDefinition[];
  const { deps, venue, time, context } = await testSandbox();
  const reads: string[] = [];
  const own = {
    ...deps,
    kinds: kindsOf(kindsWith(all)),
    candlesAt: (...given: Parameters<NonNullable<typeof deps.candlesAt>>) => {
      reads.push(given[0]);
      return deps.candlesAt?.(...given) ?? Promise.reject(new Error("there are no other exchanges"));
    },
  };
  const start = async (name: string) => {
    const operation = createOperations(EXCHANGES, all).find((one) => one.name === "start_strategy");
    const place = { exchange: "kraken", symbol: "BTC/USDT", baseBudget: 0, quoteBudget: 100 };
    return operation?.run(own, operation.input.parse(startBody(name, place)), { actor: "local" });
  };
  await expect(start("elsewhere")).rejects.toThrow("nope");
  time.pass(2 * HOUR + 2 * MINUTE);
  await start("several");
  for (let i = 0; i < 8; i++) {
    time.pass(5 * SECOND);
    await runPass(own, venue("kraken"));
  }
  expect(reads).toEqual(["gateio"]);
  expect(inputs.at(-1)?.candles.gate).toHaveLength(2);
  const { rows } = await context.client.execute("select memory from accounts");
  const { candles } = JSON.parse(String(rows[0]?.[0])) as { candles: Record<string, { count: number }[]> };
  expect(Object.entries(candles).map(([key, series]) => [key, series.length])).toEqual([
    ["BTC/USDT", 2],
    ["BTC/USDT elsewhere", 2],
  ]);
});

it.each([
  [{ day: { timeframe: "1d", count: 200 }, hour: { timeframe: "1h", count: 201 } }, "a count from 1 to 200"],
  [{ day: { timeframe: "1d", count: 30, symbol: "ETHUSDT" } }, "a symbol only as BASE/QUOTE"],
  [
    {
      a: { timeframe: "1d", count: 200 },
      b: { timeframe: "1h", count: 200 },
      c: { timeframe: "5m", count: 1 },
    },
    "more than 400 candles together",
  ],
])("refuses the requests %j", (candles, message) => {
  const definition = { name: "several", config: z.object({}), candles: candles as never, orders: () => [] };
  expect(() => defineStrategy(definition)).toThrow(message);
});
