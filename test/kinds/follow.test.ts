import { availableParallelism } from "node:os";
import { expect, it } from "vitest";
import { EDITIONS } from "../simulation/shape.ts";
import { exhaustiveTier, type Figures, type How, parityTier, randomTier } from "../simulation/tiers.ts";
import { most } from "../support/whole.ts";

// The whole of it: npm run simulate -- --strategy follow, and the same with --exhaustive and --parity.
const how: How = { workers: Math.min(2, availableParallelism()) };
const follow = { strategy: "follow" } as const;
const draw = (count: number) => ({ from: 300_000, count, editions: EDITIONS });
const failures = (figures: readonly Figures[]) => figures.flatMap(({ failed }) => failed);

it("the engine places another kind's order exactly once, with random seeds", async () => {
  const figures = await randomTier(draw(most(18, 6)), how, false, follow);
  expect(failures(figures)).toEqual([]);
  // It has traded, and not only been left alone.
  const [, fills = "0"] = /(\d+) fills/.exec(figures[0]?.text ?? "") ?? [];
  expect(Number(fills)).toBeGreaterThan(0);
});

it("the engine handles one fault, or the kill switch, at sampled calls of a run", async () => {
  expect(failures(await exhaustiveTier([3], how, most(31, 301), follow))).toEqual([]);
});

it("the engine gets the same answers from memory and libSQL", async () => {
  expect(failures(await parityTier(draw(most(3, 1)), how, 60, follow))).toEqual([]);
});
