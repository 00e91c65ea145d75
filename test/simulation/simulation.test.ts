import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { isWhole, most } from "../support/whole.ts";
import { WEAKENED } from "../world/weakened.ts";
import { CASES, QUOTE_CASES } from "./cases.ts";
import { TROUBLES } from "./liveness.ts";
import { one } from "./mutant.ts";
import { MUTANTS } from "./mutants.ts";
import { simulate } from "./run.ts";
import { EDITIONS } from "./shape.ts";
import {
  exhaustiveTier,
  type Figures,
  type How,
  livenessTier,
  mutantTier,
  parityTier,
  randomTier,
} from "./tiers.ts";

const how: How = { workers: Math.min(2, availableParallelism()) };

const failures = (figures: readonly Figures[]) => figures.flatMap(({ failed }) => failed);

describe("the simulated step", () => {
  it.each(CASES.filter((_, place) => place % most(1, 4) === 0))(
    "stays correct with seed %i: %s",
    async (seed, _found, timing) => {
      const { violations, passes } = await simulate({ seed, ticks: 200, ...(timing ? { timing } : {}) });
      expect(violations.slice(0, 3)).toEqual([]);
      expect(passes).toBeGreaterThan(0);
    },
  );

  it.each(QUOTE_CASES)("stays correct for quotes with seed %i: %s", async (seed) => {
    expect((await simulate({ seed, ticks: 200, strategy: "quote" })).violations.slice(0, 3)).toEqual([]);
  });

  it("stays correct with random seeds, and each seed gives one trace", async () => {
    const figures = await randomTier({ from: 100_000, count: most(24, 4), editions: EDITIONS }, how, true);
    expect(figures.map(({ title }) => title)).toEqual(["random", "determinism"]);
    expect(failures(figures)).toEqual([]);
  });

  it("looks up many orders in one call, and records each refused order of a batch", async () => {
    const { lines, violations } = await simulate({ seed: 8_000_004, ticks: 120, keep: true });
    expect(violations).toEqual([]);
    expect(lines.filter((line) => / orders( |$)/.test(line)).length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes("a row of this batch is refused")).length).toBeGreaterThan(0);
  });

  it("stays correct whatever becomes of the hints that start passes early", async () => {
    for (const hints of [undefined, "removed", "doubled", "delayed"] as const) {
      for (let seed = 17_000_000; seed < 17_000_000 + most(8, 2); seed++) {
        const { violations } = await simulate({ seed, ticks: 200, ...(hints ? { hints } : {}) });
        expect(violations, `${seed} ${hints}`).toEqual([]);
      }
    }
  });

  it("stays correct with one fault, or the kill switch, at sampled calls of a run", async () => {
    expect(failures(await exhaustiveTier([3], how, most(31, 301)))).toEqual([]);
  });

  it("recovers within a stated bound after each kind of trouble", async () => {
    // `npm run simulate -- --liveness` has the other ones too.
    const troubles = TROUBLES.filter((_, place) => place % most(4, 8) === 1);
    expect(failures(await livenessTier(300_000, 2, how, { troubles }))).toEqual([]);
  });

  it("is reported as too slow if the second lookup waits too long", async () => {
    const mutant = one(
      "a second look that is long in coming",
      "src/engine/reconcile/order-life.ts",
      "longest + readLag : secondMiss)",
      "longest + readLag : 30 * secondMiss)",
    );
    const late = await livenessTier(300_000, 8, how, { troubles: ["request_lost"], mutant });
    expect(failures(late).map(({ what }) => what)).toContainEqual(
      expect.stringMatching(/^it came right \d+ ms/),
    );
  });

  it("gets the same answers from memory and libSQL", async () => {
    expect(
      failures(await parityTier({ from: 200_000, count: most(3, 1), editions: EDITIONS }, how, 60)),
    ).toEqual([]);
  });

  it("places nothing twice with reads five times too old, if every order gets a response", async () => {
    const broken = "steady lag, all answered" as const;
    for (let seed = 0; seed < most(12, 3); seed++)
      expect((await simulate({ seed, ticks: 200, timing: "real", broken })).violations).toEqual([]);
  });

  it("has planted bugs whose source text occurs exactly once", () => {
    const places = [...MUTANTS, ...WEAKENED].flatMap(({ name, edits }) =>
      edits.map(({ file, from }) => ({ name, times: readFileSync(file, "utf8").split(from).length - 1 })),
    );
    expect(places.filter(({ times }) => times !== 1)).toEqual([]);
  });

  it.runIf(isWhole)("fails for planted bugs", async () => {
    // The ones that few seeds show; `npm run simulate -- --mutants` plants them all.
    const some = new Set(["a timeout is a reject", "no write-ahead", "drawn base loses its cost"]);
    const planted = MUTANTS.filter(({ name }) => some.has(name));
    expect(planted).toHaveLength(some.size);
    expect(failures(await mutantTier(300, how, planted, 400_000))).toEqual([]);
  });
});
