import { expect, it } from "vitest";
import dca from "../../examples/dca.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { runPass } from "../../src/engine/pass/pass.ts";
import { HOUR, MINUTE, SECOND } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import { defineStrategy, z } from "../../src/own/package.ts";
import type { AnyStrategyDefinition, StrategyInput } from "../../src/ports/definition.ts";
import { EXCHANGES, START, testSandbox } from "../support/sandbox.ts";
import { starts } from "../support/starts.ts";

/** An hour of the market in each second of the clock. */
const SPEED = HOUR / SECOND;

async function fastSandbox(definition: AnyStrategyDefinition) {
  const { deps, venue, time } = await testSandbox({ speed: SPEED, seed: 3 });
  const own = { ...deps, kinds: kindsOf(kindsWith([definition])) };
  const operations = createOperations(EXCHANGES, [definition]);
  async function ask<T>(name: string, input: object): Promise<T> {
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    return (await operation.run(own, operation.input.parse(input), { actor: "local" })) as T;
  }
  const place = { exchange: "kraken", symbol: "BTC/USDT", baseBudget: 0, quoteBudget: 5000 };
  return {
    ask,
    start: (config: object) => ask<{ id: string }>(...starts(definition.name, { ...place, ...config })),
    async passes(count: number, every: number) {
      for (let i = 0; i < count; i++) {
        time.pass(every);
        await runPass(own, venue("kraken"));
      }
    },
    marketNow: () => deps.marketTime({ exchange: "kraken", kind: "sandbox", host: "" }, time.now()),
  };
}

it("buys each hour of the market, however fast the sandbox runs", async () => {
  const { ask, start, passes } = await fastSandbox(dca as AnyStrategyDefinition);
  const { id } = await start({ size: 100, hours: 1 });
  await passes(120, SECOND / 4);
  const { fills } = await ask<{ fills: { timestamp: number }[] }>("get_strategy_fills", { id });
  const hours = new Set(fills.map(({ timestamp }) => Math.floor((timestamp - START) / HOUR)));
  expect(hours.size).toBe(30);
});

it("has the same time in a call, its candles, its fills and its status", async () => {
  const seen: StrategyInput[] = [];
  const watcher = defineStrategy({
    name: "watcher",
    config: z.object({}),
    candles: { timeframe: "1h", count: 3 },
    orders(input) {
      seen.push(input);
      return [{ id: "buy", side: "buy", price: input.quote.bid, quoteSize: 50 }];
    },
  });
  const { ask, start, passes, marketNow } = await fastSandbox(watcher);
  const { id } = await start({});
  // The first call is the plan's.
  expect(seen.every(({ now }) => now >= START)).toBe(true);
  await passes(40, SECOND / 4);
  const last = seen.at(-1) as StrategyInput;
  expect(marketNow() - last.now).toBeLessThan(10 * MINUTE);
  for (const { now, candles } of seen) {
    const end = (candles.at(-1)?.at ?? Number.NaN) + HOUR;
    expect([end <= now, now - end < 2 * HOUR]).toEqual([true, true]);
  }
  const fills = seen.flatMap(({ now, fills }) => fills.map(({ at }) => [at <= now, now - at < 2 * HOUR]));
  expect(fills.length).toBeGreaterThan(0);
  expect(new Set(fills.flat())).toEqual(new Set([true]));
  const status = await ask<{ startedAt: number; lastStepAt: number }>("get_strategy", { id });
  expect(marketNow() - status.lastStepAt).toBeLessThan(10 * MINUTE);
  expect(status.startedAt).toBeLessThan(status.lastStepAt);
});
