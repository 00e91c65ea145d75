import { availableParallelism } from "node:os";
import { expect, it } from "vitest";
import { simulate } from "../simulation/run.ts";
import { EDITIONS } from "../simulation/shape.ts";
import { exhaustiveTier, type Figures, type How, parityTier, randomTier } from "../simulation/tiers.ts";
import { most } from "../support/whole.ts";

// The whole of it: npm run simulate -- --strategy quote, and the same with --exhaustive and --parity.
const how: How = { workers: Math.min(2, availableParallelism()) };
const quote = { strategy: "quote" } as const;
const drawn = { from: 500_000, editions: EDITIONS };
const failures = (figures: readonly Figures[]) => figures.flatMap(({ failed }) => failed);

it.each([
  [7_200_778, "gave a client id again after it had lost its last commits"],
  [7_200_955, "gave a client id again after it had lost its last commits"],
  [7_200_878, "claimed the sum of all its sells as base of the account"],
  [7_200_905, "claimed the sum of all its sells as base of the account"],
  [7_201_232, "claimed the sum of all its sells as base of the account"],
  [7_200_926, "booked by a record from before the database lost its last commits"],
  [7_200_924, "called an order rejected that was on the exchange"],
  [7_200_958, "never ended a stop"],
  [7_000_010, "broke after its database had lost its last commits"],
  [7_000_020, "broke after its database had lost its last commits"],
  [4_410_004, "quoted around a locked book in which it left out its own order"],
])("quotes stay correct with seed %i, which once %s", async (seed) => {
  const { violations, passes } = await simulate({ seed, ticks: 200, ...quote });
  expect(violations.slice(0, 3)).toEqual([]);
  expect(passes).toBeGreaterThan(0);
});

it("quotes place each order exactly once on faulty books, with random seeds", async () => {
  const figures = await randomTier({ ...drawn, count: most(18, 2) }, how, false, quote);
  expect(failures(figures)).toEqual([]);
  // It has traded, and not only been left alone.
  const [, fills = "0"] = /(\d+) fills/.exec(figures[0]?.text ?? "") ?? [];
  expect(Number(fills)).toBeGreaterThan(0);
});

it("quotes stay correct with one fault, or the kill switch, at sampled calls of a run", async () => {
  expect(failures(await exhaustiveTier([3], how, most(31, 601), quote))).toEqual([]);
});

it("quotes get the same answers from memory and libSQL", async () => {
  expect(failures(await parityTier({ ...drawn, count: most(3, 1) }, how, 60, quote))).toEqual([]);
});
