import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { isWhole, most } from "../support/whole.ts";
import { WEAKENED } from "../world/weakened.ts";
import { CASES, DECLARED_CASES, QUOTE_CASES } from "./cases.ts";
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

/** The kinds of strategies; those that `npm test` leaves to `npm run test:heavy` come last. */
const KINDS = [
  { kind: "grids", of: {}, from: 100_000, seeds: most(24, 3) },
  { kind: "quotes", of: { strategy: "quote" }, from: 510_000, seeds: most(18, 1) },
  { kind: "declared strategies", of: { strategy: "declared" }, from: 700_000, seeds: most(18, 1) },
  { kind: "a kind of the tests", of: { strategy: "follow" }, from: 300_000, seeds: most(18, 1) },
] as const;

const SEEDS = [
  ...CASES.map(([seed, found, timing]) => ({ seed, found, of: timing ? { timing } : {} })),
  ...QUOTE_CASES.map(([seed, found]) => ({ seed, found: `quotes: ${found}`, of: KINDS[1].of })),
  ...DECLARED_CASES.map(([seed, found]) => ({ seed, found: `declared: ${found}`, of: KINDS[2].of })),
];

describe("the simulated step", () => {
  it.each(SEEDS.filter((_, place) => place % most(1, 13) === 0))(
    "stays correct with seed $seed: $found",
    async ({ seed, of }) => {
      const { violations, passes } = await simulate({ seed, ticks: 200, ...of });
      expect(violations.slice(0, 3)).toEqual([]);
      expect(passes).toBeGreaterThan(0);
    },
  );

  it.each(KINDS)(
    "places each order exactly once with random seeds, each with one trace: $kind",
    async ({ of, from, seeds }) => {
      const figures = await randomTier({ from, count: seeds, editions: EDITIONS }, how, true, of);
      expect(figures.map(({ title }) => title)).toEqual(["random", "determinism"]);
      expect(failures(figures)).toEqual([]);
      const [, fills = "0"] = /(\d+) fills/.exec(figures[0]?.text ?? "") ?? [];
      expect(Number(fills)).toBeGreaterThan(0);
    },
  );

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

  it.each(KINDS.slice(0, most(4, 1)))(
    "stays correct with one fault, or the kill switch, at sampled calls of a run: $kind",
    async ({ of }) => expect(failures(await exhaustiveTier([3], how, most(61, 1401), of))).toEqual([]),
  );

  it("recovers within a stated bound after each kind of trouble", async () => {
    // `npm run simulate -- --liveness` has the other ones too.
    const troubles = TROUBLES.filter((_, place) => place % most(4, 8) === 1);
    expect(failures(await livenessTier(300_000, 2, how, { troubles }))).toEqual([]);
  });

  it.runIf(isWhole)("is reported as too slow if the second lookup waits too long", async () => {
    const mutant = one(
      "a second look that is long in coming",
      "src/engine/reconcile/fill-cursor.ts",
      "longest + readLag : secondMiss)",
      "longest + readLag : 30 * secondMiss)",
    );
    const late = await livenessTier(300_000, 8, how, { troubles: ["request_lost"], mutant });
    expect(failures(late).map(({ what }) => what)).toContainEqual(
      expect.stringMatching(/^it came right \d+ ms/),
    );
  });

  it.each(KINDS.slice(0, most(4, 2)))("gets the same answers from memory and libSQL: $kind", async (kind) => {
    const drawn = { from: kind.from, count: most(3, 1), editions: EDITIONS };
    expect(failures(await parityTier(drawn, how, most(60, 20), kind.of))).toEqual([]);
  });

  it("gets the same answers about limits: memory once counted parts of their units", async () => {
    for (const seed of [3_640_412, 2_640_410].slice(0, most(2, 1)))
      expect((await simulate({ seed, ticks: 100, mirrored: true })).violations, `${seed}`).toEqual([]);
  });

  it("places nothing twice with reads five times too old, if every order gets a response", async () => {
    const broken = "steady lag, all answered" as const;
    for (let seed = 0; seed < most(12, 2); seed++)
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
