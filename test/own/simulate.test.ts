import { expect, it } from "vitest";
import { simulateStrategy } from "../../cli/host/simulation.ts";
import { simulate } from "../../cli/testing/package.ts";
import { defineStrategy, z } from "../../src/own/package.ts";
import { buyer, twoSided } from "./deeds.ts";

const config = { spreadPercent: 0.4, size: 500 };
it.each([
  { strategy: twoSided, options: { passes: 100 }, passes: 100 },
  { strategy: buyer, options: {}, passes: 300 },
])(
  "finds nothing wrong with $strategy.name, which follows the rules",
  async ({ strategy, options, passes }) => {
    const result = await simulate(strategy, { config, seed: 3, ...options });
    expect(result.problems).toEqual([]);
    expect(result.passes).toBe(passes);
    for (const count of [result.restarts, result.lostResponses, result.failedReads, result.fills])
      expect(count).toBeGreaterThan(0);
  },
);

it("returns the same result for the same seed, and another one for another", async () => {
  const seeded = (seed: number) => simulate(twoSided, { config, seed, passes: 60 });
  const first = await seeded(1);
  expect(await seeded(1)).toEqual(first);
  expect(await seeded(2)).not.toEqual(first);
});

it("fills at the given prices", async () => {
  const falls = Array.from({ length: 60 }, (_, i) => 60_000 - i * 100);
  const result = await simulate(twoSided, { config, prices: falls, base: 0, quote: 10_000, passes: 60 });
  expect(result.problems).toEqual([]);
  expect(result.fills).toBeGreaterThan(0);
});

it("reports the pass in which a strategy failed, and why", async () => {
  const own = defineStrategy({
    name: "own",
    config: z.object({}),
    orders({ fills, quote }) {
      if (fills.length > 0) throw new Error("a fill came");
      return [{ id: "a", side: "buy", price: quote.ask.times(0.9999), quoteSize: 100 }];
    },
  });
  const { problems, passes } = await simulate(own, { config: {} });
  expect(problems).toEqual([expect.stringMatching(/^it failed in pass \d+.*: a fill came$/)]);
  expect(passes).toBeLessThan(300);
});

it("reports that it does not start", async () => {
  const own = defineStrategy({
    name: "own",
    config: z.object({}),
    orders: () => {
      throw new Error("boom");
    },
  });
  const { problems } = await simulate(own, { config: {} });
  expect(problems).toEqual([expect.stringMatching(/^it does not start: .*boom/)]);
});

it("reports orders that never come to rest", async () => {
  const own = defineStrategy<z.ZodObject, number>({
    name: "own",
    config: z.object({}),
    initial: 0,
    orders: ({ state, quote }) => ({
      orders: [{ id: "a", side: "buy", price: quote.bid.times(0.9 - (state % 2) / 10), quoteSize: 100 }],
      state: state + 1,
    }),
  });
  const { problems } = await simulate(own, { config: {}, passes: 5 });
  expect(problems).toEqual([expect.stringContaining("still changes its orders after 30 passes")]);
});

it("reports a variable that a restart loses", async () => {
  const load = () => {
    let first: number | undefined;
    return defineStrategy({
      name: "own",
      config: z.object({}),
      orders({ quote }) {
        first ??= quote.bid.toNumber();
        return [{ id: "a", side: "buy", price: first * 0.9, quoteSize: 100 }];
      },
    });
  };
  const { problems, restarts } = await simulateStrategy(load(), { config: {}, seed: 3 }, load);
  expect(restarts).toBeGreaterThan(0);
  expect(problems).toEqual([expect.stringContaining("a restarted process returned other orders")]);
});

it("refuses a config that is not valid", async () => {
  await expect(simulate(twoSided, { config: {} })).rejects.toThrow("spreadPercent");
});
