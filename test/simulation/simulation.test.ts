import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { isWhole, most } from "../support/whole.ts";
import { WEAKENED } from "../world/weakened.ts";
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
  { kind: "declared strategies", of: { strategy: "declared" }, from: 700_000, seeds: most(18, 2) },
  { kind: "a kind of the tests", of: { strategy: "follow" }, from: 300_000, seeds: most(18, 1) },
] as const;

/** Seeds that once broke an invariant, and what each found. `npm test` runs some of them, `npm run test:heavy` all. */
const CASES: readonly (readonly [seed: number, found: string, timing: "real" | undefined])[] = (
  [
    [17, "an order adopted after a restore was of the side that its slot had not turned to yet", "real"],
    [36, "what filled of an order left to the person was booked as the grid's"],
    [77, "an order was blamed for the ten minutes of the one before it"],
    [141, "an order left to the person was booked again when its trades arrived"],
    [441, "a cancel from outside and a late trade were booked in the wrong order"],
    [570, "a process held up beyond the end of its run"],
    [754, "a restored grid took first base for slots that had traded since"],
    [1015, "a trade was booked twice because its market was read again from before the backup"],
    [147, "an order's wait for its trades began anew and its strategy's did not"],
    [1252, "an open order waited for ever for the trade of its first part"],
    [1350, "base bought but not booked yet was given to another grid as the person's own"],
    [2997, "an order placed after the backup was found by its trade alone"],
    [3228, "a part fill and its cancel were seen in one pass"],
    [3345, "after a restore a client id was given a second time"],
    [3630, "a sell found after a restore was booked before the buy of its slot"],
    [4024, "orders placed after the backup blocked their slots for ever"],
    [4185, "a cancel from outside made locked base look like free base"],
    [4882, "the same, with the balance read between cancel and look"],
    [5298, "an order given up as lost was open after all"],
    [5610, "a restored grid searched for its ids before its market was seen"],
    [5860, "trades before the cursor were skipped after a restore"],
    [6968, "an amount that is no multiple of the lot was asked of the venue"],
    [7717, "the same as 754 on another market"],
    [9441, "a sell without its buy divided by zero and failed every later pass"],
    [9521, "a stop that keeps orders released some, and a stop that cancels then missed them"],
    [1_000_221, "an order found after a restore stayed at a price that its slot had left"],
    [1_000_826, "a restored database forgot that a grid was leaving the market: it sold a person's base"],
    [1_878_708, "claimed more base than the account had"],
    [1_001_179, "an order that a late read did not show was taken for a person's for ever"],
    [2_000_373, "a grid restored to before its start sold first base twice"],
    [1_000_559, "the search after a restore outlasted the lease, in every pass again"],
    [2_000_089, "an order by hand was sent though the kill switch had been thrown while it was recorded"],
    [2_000_282, "base that an order of ours might have locked was given to a grid that began beside it"],
    [2_020_295, "after a restore orders were booked from their sums before their trades were asked for"],
    [40_025, "the trades of an order's first part, older than the cursor, were booked once more"],
    [3_040_125, "a person's order had locked base that a leaving grid could not sell"],
    [10028, "an order of a grid that the database does not know held up all grids for ever"],
    [5_718_750, "a pass that had no time to read booked an order from its sums"],
    [5_766_429, "after a restore an order was booked from its sums though its late trade could be asked for"],
    [5_714_784, "broke once under a mix of faults of its own, about a restored database"],
    [10992, "a stop that cancels lost against a pass that had read the one that keeps"],
    [5_183_340, "a reserve forgot what orders on a market took that the pass had not read"],
    [5_176_720, "the same, by little"],
    [5_179_248, "the same again"],
    [5_185_305, "the same again"],
    [5_177_022, "was asked to know in its turn what base another grid took over after it"],
    [5_177_411, "was asked to know in its turn what base another grid took over after it"],
    [5_178_820, "was asked to know in its turn what base another grid took over after it"],
    [5_181_352, "was asked to know in its turn what base another grid took over after it"],
    [5_181_588, "was asked to know in its turn what base another grid took over after it"],
    [5_182_679, "was asked to know in its turn what base another grid took over after it"],
    [5_182_960, "was asked to know in its turn what base another grid took over after it"],
    [5_182_997, "was asked to know in its turn what base another grid took over after it"],
    [5_183_046, "was asked to know in its turn what base another grid took over after it"],
    [5_183_064, "was asked to know in its turn what base another grid took over after it"],
    [5_185_269, "was asked to know in its turn what base another grid took over after it"],
    [5_183_497, "was taken to be at rest in the moment in which its kill switch went off"],
    [8_310_280, "counted orders that a pass had seen at their end while its batch stood change by change"],
    [8_310_457, "counted orders that a pass had seen at their end while its batch stood change by change"],
    [8_311_074, "counted orders that a pass had seen at their end while its batch stood change by change"],
    [8_311_389, "counted orders that a pass had seen at their end while its batch stood change by change"],
    [8_311_493, "counted orders that a pass had seen at their end while its batch stood change by change"],
    [8_311_809, "counted orders that a pass had seen at their end while its batch stood change by change"],
    [8_312_109, "counted orders that a pass had seen at their end while its batch stood change by change"],
    [8_100_002, "did not count what another grid had bought in a pass whose batch stood change by change"],
    [5_816_304, "an exit gave up base that an order nobody was sure of had never taken"],
    [5_816_494, "after a restore a starting grid took base of the account for sells of what it had bought"],
    [6_310_017, "showed a balance from the beginning of the run for one of a minute ago"],
    [7_200_766, "gave a client id again after it had lost its last commits"],
    [7_200_827, "turned a slot by an older order, found after a later one"],
    [7_200_859, "sold more than a slot held, by orders found out of their order"],
    [7_348_427, "gave a client id again after it had lost its last commits"],
    [7_348_441, "gave a client id again after it had lost its last commits"],
    [4_330_029, "held an exit to a limit that was set after the exit was planned"],
    [7_351_464, "counted base that a forgotten grid had sold"],
    [7_351_523, "never read beyond the overlap of its trades"],
    [7_351_071, "never read beyond the overlap of its trades"],
    [7_330_083, "asked for the same second of trades in every pass, and never read beyond it"],
    [7_330_007, "asked for the same second of trades in every pass, and never read beyond it"],
    [7_360_363, "placed an order before it had read that one which the database had forgotten had filled"],
    [7_361_211, "placed an order before it had read that one which the database had forgotten had filled"],
    [7_361_671, "placed an order before it had read that one which the database had forgotten had filled"],
    [7_362_827, "placed an order before it had read that one which the database had forgotten had filled"],
    [7_361_895, "asked for the same overlap of trades in every pass, and never read beyond it"],
    [7_362_803, "asked for the same overlap of trades in every pass, and never read beyond it"],
    [7_370_515, "forgot from pass to pass how much of its trades it had narrowed down, and came no further"],
    [7_360_303, "was taken to be at rest while it was still reading trades, a few a pass"],
    [7_362_359, "began anew at its trigger with slots that had sold, and gave them base again"],
    [7_145_854, "was stopped in a restored backup, while its orders of the database in between stayed open"],
    [8_312_128, "counted what a grid had sold in a pass whose batch stood change by change"],
    [8_118_283, "counted a sale of a forgotten order whose trade was shown after ten minutes"],
    [9_407_158, "counted a sale of a forgotten order whose trade was shown late"],
    [14_953_037, "never ended: a write of the kill switch outlasted the request that had begun it"],
    [
      14_511_060,
      "sent calls that it had taken a second ago, when others had used what the rate had regained",
    ],
    [
      7_410_363,
      "was taken to sell too much, when its order arrived after its database had lost its first base",
    ],
    [15_000_031, "was refused every order at a price that its market's new tick does not have"],
    [15_138_160, "was taken apart for levels that its market's new minimum did not let it place"],
    [
      15_163_078,
      "was taken to wait for no reason, when its market's new minimum refused the price below a level",
    ],
    [9_523_659, "gave up a manual order that the database had recorded with a time of an hour ago"],
    [9_523_869, "gave up a manual order that the database had recorded with a time of an hour ago"],
    [9_527_156, "gave up a manual order that the database had recorded with a time of an hour ago"],
    [
      11_820_549,
      "gave up base that an unconfirmed manual order could have used, on an exchange without read lag",
    ],
    [3_513_692, "was taken to move for no reason, when it still followed a price that had fallen far"],
    [6_520_803, "was taken to hold base that a person had sold, because another grid held as much"],
    [3_514_671, "asked the same eight questions for trades in each pass, and never read on"],
    [6_522_666, "a restored grid counted base that older layouts had bought and sold as the account's"],
    [7_515_270, "a restored grid counted base that older layouts had bought and sold as the account's"],
    [11_516_542, "was taken to sell what it did not hold, by an exit that the restored store had forgotten"],
    [7_515_826, "a restored grid counted base that older layouts had bought and sold as the account's"],
    [
      9_534_397,
      "was taken to book a fill of an order that it had left, when it was booked from the order before",
    ],
    [4_540_955, "was taken to leave base that a person had sold, whose row a restored database had lost"],
    [10_532_696, "was taken to be at rest before the wait for trades that never come was over"],
    [
      7_530_982,
      "a restored grid counted base that its slots had bought and a later layout sold as the account's",
    ],
  ] as const
).map(([seed, found, timing]) => [seed, found, timing] as const);

/** The same of quotes. */
const QUOTE_CASES: readonly (readonly [seed: number, found: string])[] = [
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
  [4_878_698, "left the market and still held base"],
  [4_410_004, "quoted around a locked book in which it left out its own order"],
  [4_412_013, "stopped, by the time of an old book, before it had started"],
  [6_158_397, "was given base of the account that the quote beside it had just sold"],
  [9_882_170, "asked for trades of the day by which the clock had been ahead, and never read on"],
  [7_511_249, "started with base of another strategy, whose fills the database had lost"],
  [8_511_396, "booked an order from its totals although its trade could be requested"],
  [5_524_062, "was taken to claim base that a person had withdrawn, because of a larger deposit"],
  [7_524_508, "was taken to claim base that a person had withdrawn, because of a larger deposit"],
  [17_522_904, "was taken to claim base that a person had withdrawn, because of a larger deposit"],
  [
    11_284_018,
    "canceled ended orders again in each pass while no book could be read, and never the open ones",
  ],
  [
    12_512_546,
    "was taken to move for no reason, when an order filled that had been placed after an hour of calm",
  ],
];

/** The same of own strategies. */
const DECLARED_CASES: readonly (readonly [seed: number, found: string])[] = [
  [94_500_005, "was taken to be at rest while its function still failed at random"],
  [94_500_109, "was taken to be at rest while its function still failed at random"],
  [7_155_419, "was taken for a grid after a restore had forgotten it, with a sell under way"],
  [15_155_586, "was taken to write to the venue when the venue recorded its time"],
];

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
    const { lines, violations } = await simulate({ seed: 8_000_007, ticks: 120, keep: true });
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
      "src/engine/reconcile/order-fills.ts",
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
