import dca from "../../examples/dca.ts";
import grid from "../../examples/grid.ts";
import ladder from "../../examples/ladder.ts";
import rebalance from "../../examples/rebalance.ts";
import twapSell from "../../examples/twap-sell.ts";
import twoSided from "../../examples/two-sided.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import type { OwnStrategyConfig } from "../../src/own/state.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";

/** The example strategies. */
export const EXAMPLES: StrategyDefinitions = [grid, twoSided, dca, ladder, rebalance, twapSell];

const pick = <T>(list: readonly [T, ...T[]], n: number): T => list[n % list.length] ?? list[0];

/** Options near the simulated price of 100, in sizes that the simulated walk fills. */
const OPTIONS: readonly ((n: number) => Readonly<Record<string, unknown>>)[] = [
  (n) => ({ lower: pick([95, 98], n), upper: pick([105, 101, 103], n), levels: pick([4, 9], n), size: 60 }),
  (n) => ({ spreadPercent: pick([0.2, 0.4, 1], n), size: 60 }),
  (n) => ({ size: 20, hours: pick([0.002, 0.01], n), ...(n % 3 === 0 ? { highest: 101 } : {}) }),
  (n) => ({
    levels: pick([3, 6], n),
    first: 0.001,
    step: pick([0.001, 0.003, 0.01], n),
    size: 30,
    growth: 1.2,
  }),
  (n) => ({ target: pick([0.2, 0.5, 0.8], n), band: pick([0.002, 0.02], n) }),
  (n) => ({ amount: 2, hours: pick([0.02, 0.1], n), share: 0.1, ...(n % 3 === 0 ? { floor: 99 } : {}) }),
];

/** Each example in turn, with one of its options after another. */
export const exampleConfig = (n: number): OwnStrategyConfig => {
  const place = n % EXAMPLES.length;
  return {
    definition: EXAMPLES[place]?.name ?? "",
    version: 1,
    options: OPTIONS[place]?.(Math.floor(n / EXAMPLES.length)) ?? {},
    budget: { base: decimal("2"), quote: decimal("1000") },
  };
};
