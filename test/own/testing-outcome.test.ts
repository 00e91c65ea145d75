import { expect, it } from "vitest";
import { backtest } from "../../cli/testing/package.ts";
import { defineStrategy, z } from "../../src/own/package.ts";

const prices = [60_000, 60_100, 60_200, 60_300];

it("names each source of reference prices as the test does", () => {
  const seen = new Set<string>();
  const own = defineStrategy({
    name: "own",
    config: z.object({}),
    reference: true,
    orders({ reference }) {
      seen.add(reference.prices.map(({ source, price }) => `${source} ${price}`).join(", "));
      return [];
    },
  });
  const past = { config: {}, prices, quote: 1000, tickInterval: 60_000 };
  backtest(own, { ...past, reference: { gateio: prices, dex: prices.map((price) => price + 50) } });
  expect([...seen]).toContain("gateio 60100, dex 60150");
  seen.clear();
  backtest(own, { ...past, reference: prices });
  expect([...seen]).toContain("other 60100");
});

it("shows the state and the refused orders at the end of a test", () => {
  const own = defineStrategy<z.ZodObject, number>({
    name: "own",
    config: z.object({}),
    initial: 0,
    orders: ({ quote, state }) => ({
      orders: [
        { id: "tiny", side: "buy", price: quote.bid, quoteSize: 1 },
        { id: "far", side: "buy", price: quote.bid.times(0.5), quoteSize: 100 },
      ],
      state: state + 1,
    }),
  });
  const { state, refused } = backtest(own, { config: {}, prices, quote: 1000, tickInterval: 60_000 });
  expect(state).toBeGreaterThanOrEqual(3);
  expect(refused).toEqual([{ id: "tiny", reason: "below_minimum", detail: expect.stringContaining("tiny") }]);
  const quiet = defineStrategy({ name: "quiet", config: z.object({}), orders: () => [] });
  expect(backtest(quiet, { config: {}, prices, quote: 1000 })).toMatchObject({ state: null, refused: [] });
});

it("shows the last notes and the number of log lines of a test", () => {
  let calls = 0;
  const own = defineStrategy<z.ZodObject, number>({
    name: "own",
    config: z.object({}),
    initial: 0,
    orders({ state, now }) {
      calls++;
      return { orders: [], state: state + 1, notes: { calls: state + 1 }, log: [`at ${now}`] };
    },
  });
  const { notes, logLines, log, state } = backtest(own, { config: {}, prices, quote: 1000 });
  expect(notes).toEqual({ calls: state });
  // Each call is made twice, and its lines count once.
  expect([logLines, calls / 2]).toEqual([state, state]);
  expect(log).toHaveLength(Math.min(50, logLines));
});
