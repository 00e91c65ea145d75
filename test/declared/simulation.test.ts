import { availableParallelism } from "node:os";
import { expect, it } from "vitest";
import { DECLARED_CASES } from "../simulation/cases.ts";
import { simulate } from "../simulation/run.ts";
import { EDITIONS } from "../simulation/shape.ts";
import { exhaustiveTier, type Figures, type How, parityTier, randomTier } from "../simulation/tiers.ts";
import { most } from "../support/whole.ts";

// The whole of it: npm run simulate -- --strategy declared, and the same with --exhaustive and --parity.
const how: How = { workers: Math.min(2, availableParallelism()) };
const declared = { strategy: "declared" } as const;
const drawn = { from: 700_000, editions: EDITIONS };
const failures = (figures: readonly Figures[]) => figures.flatMap(({ failed }) => failed);

// The last one has 14,000 passes.
it.each(DECLARED_CASES.slice(0, most(DECLARED_CASES.length, -1)))(
  "the simulation passes with seed %i: %s",
  async (seed) => {
    expect((await simulate({ seed, ticks: 200, strategy: "declared" })).violations.slice(0, 3)).toEqual([]);
  },
);

it("the simulation creates each declared order exactly once with random seeds", async () => {
  const figures = await randomTier({ ...drawn, count: most(18, 6) }, how, false, declared);
  expect(failures(figures)).toEqual([]);
  // It has traded, and not only been left alone.
  const [, fills = "0"] = /(\d+) fills/.exec(figures[0]?.text ?? "") ?? [];
  expect(Number(fills)).toBeGreaterThan(0);
});

it("the simulation passes with one fault, or the kill switch, at some calls of a run", async () => {
  expect(failures(await exhaustiveTier([3], how, most(31, 601), declared))).toEqual([]);
});

it("the memory and libSQL stores return the same results", async () => {
  expect(failures(await parityTier({ ...drawn, count: most(3, 1) }, how, 60, declared))).toEqual([]);
});
