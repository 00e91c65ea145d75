import { availableParallelism } from "node:os";
import { expect, it } from "vitest";
import { isWhole, most } from "../../support/whole.ts";
import { type Mutant, one } from "../mutant.ts";
import { GOLDEN_SETS, type GoldenSet, goldenLine, seedsOf, storedLines } from "./sets.ts";
import { goldenTier } from "./tier.ts";

/** Seeds far apart, so that they are of many editions. */
const sample = (set: GoldenSet, count: number): readonly number[] => {
  const seeds = seedsOf(set);
  return seeds.filter((_, place) => place % Math.ceil(seeds.length / count) === 0);
};

it.each(GOLDEN_SETS)("stores the requests of all seeds: $name", (set) => {
  const stored = storedLines(set);
  expect([...stored.keys()]).toEqual(seedsOf(set));
  const silent = [...stored.values()].filter((line) => line.split(" ")[2] === "0");
  expect(silent.length).toBeLessThan(set.count / 5);
});

// `npm run simulate -- --golden` compares all of them. With faults, each change of the calls to the store changes them.
it.each(GOLDEN_SETS.filter(({ faults }) => isWhole || !faults))(
  "sends the stored requests: $name",
  async (set) => {
    const stored = storedLines(set);
    // The last seeds first: a seed's requests do not depend on the seeds before it.
    for (const seed of sample(set, most(24, 8)).toReversed())
      expect(await goldenLine(set, seed)).toBe(stored.get(seed));
  },
);

const PASS = "src/engine/pass/pass.ts";
const PLANTED: readonly {
  readonly sets: readonly string[];
  readonly isSeen: boolean;
  readonly mutant: Mutant;
}[] = [
  {
    sets: ["grids", "quotes", "examples"],
    isSeen: false,
    mutant: one(
      "two more calls to the store in each pass",
      PASS,
      "  const lost = forgotten(loaded, observed);",
      "  await store.due();\n  await store.due();\n  const lost = forgotten(loaded, observed);",
    ),
  },
  {
    sets: ["quotes"],
    isSeen: true,
    mutant: one(
      "a quote's price one tick away",
      "src/quote/levels.ts",
      'const rounded = roundToStep(nearest, tick, side === "buy" ? "down" : "up");',
      'const rounded = roundToStep(nearest, tick, side === "buy" ? "up" : "down");',
    ),
  },
  {
    sets: ["examples"],
    isSeen: true,
    mutant: one(
      "cancels in the opposite order",
      "src/engine/pass/act.ts",
      "for (const order of cancels) {",
      "for (const order of cancels.toReversed()) {",
    ),
  },
];

it.each(PLANTED)("compares requests, and nothing else: $mutant.name", async ({ sets, isSeen, mutant }) => {
  const figures = await goldenTier(
    { workers: Math.min(2, availableParallelism()) },
    {
      mutant,
      sets: GOLDEN_SETS.filter(({ name }) => sets.includes(name)),
      seedsOf: (set) => sample(set, 4),
    },
  );
  const seen = figures.flatMap(({ failed }) => failed);
  if (isSeen) expect(seen.length).toBeGreaterThan(0);
  else expect(seen).toEqual([]);
});
