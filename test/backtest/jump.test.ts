import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteAt, type WalkOptions } from "../../src/backtest/paper-account.ts";
import { backtest } from "../../src/backtest/run/backtest.ts";
import { begin, checkGrid } from "../../src/backtest/run/begin.ts";
import { type Figures, figuresOf } from "../../src/backtest/run/figures.ts";
import { walk } from "../../src/backtest/run/walk.ts";
import { highAt, lowAt, nextBar, openAt, RULES, type Rules, ticksOf } from "../../src/backtest/ticks.ts";
import { type Candles, candlesIn, slice } from "../../src/candles/candles.ts";
import { DAY } from "../../src/kernel/time.ts";
import type { Market } from "../../src/model/market.ts";
import { d, market as marketOf } from "../support/grid.ts";
import { january } from "../support/january.ts";
import { most, partOf } from "../support/whole.ts";
import { type Case, DAYS, outcome, prepared, WEEKS, walked } from "./cases.ts";
import { randomCandles } from "./random-bars.ts";

interface Random {
  readonly seed: number;
  readonly width: number;
  readonly half: number;
  readonly levels: number;
  /** The candles' prices are whole numbers, so a tick of 4 leaves most of them between two ticks. */
  readonly tick: string;
  readonly lot: string;
  readonly maker: string;
  readonly feeIn: "base" | "quote";
  readonly fill: Rules["fill"];
  readonly extremes: Rules["extremes"];
  readonly spread: string;
  readonly base: string;
  readonly model: "linear" | "geometric";
}

const randoms: fc.Arbitrary<Random> = fc.record({
  seed: fc.nat(),
  width: fc.integer({ min: 3, max: 60 }),
  half: fc.integer({ min: 200, max: 3000 }),
  levels: fc.integer({ min: 2, max: 40 }),
  tick: fc.constantFrom("1", "4"),
  lot: fc.constantFrom("0.00001", "0.0003", "0.001"),
  maker: fc.constantFrom("0", "0.0005", "0.001"),
  feeIn: fc.constantFrom("base", "quote"),
  fill: fc.constantFrom("cross", "touch"),
  extremes: fc.constantFrom("nearest", "high_first", "low_first"),
  spread: fc.constantFrom("0", "0.0004"),
  base: fc.constantFrom("0", "0.3", "5"),
  model: fc.constantFrom("linear", "geometric"),
});

/** A slot turns to buying while the sell of the one below it still rests at the very price, and the market falls. */
const MEETS: Random = {
  seed: 451346133,
  width: 5,
  half: 203,
  levels: 36,
  tick: "1",
  lot: "0.001",
  maker: "0",
  feeIn: "quote",
  fill: "cross",
  extremes: "low_first",
  spread: "0.0004",
  base: "0",
  model: "linear",
};

function both(one: Random, bars = 250) {
  const candles = randomCandles(one.seed, bars, one.width);
  const market: Market = marketOf({
    tick: d(one.tick),
    lot: d(one.lot),
    minAmount: d(one.lot),
    minNotional: d("1"),
    maker: d(one.maker),
    taker: d(one.maker),
    buyFeeIn: one.feeIn,
  });
  const rules: Rules = { ...RULES, fill: one.fill, extremes: one.extremes, spread: d(one.spread) };
  const ticks = ticksOf(candles, market.tick);
  const quote = quoteAt(market, rules, { at: candles.from, ticks: openAt(ticks, 0) }, ticks.step);
  const balances = [
    { asset: "USDT", free: d("100000"), used: 0n },
    { asset: "BTC", free: d(one.base), used: 0n },
  ];
  const setup = { market, quote, balances };
  const request = {
    lowerPrice: d(String(10_000 - one.half)),
    upperPrice: d(String(10_000 + one.half)),
    gridLevels: one.levels,
    orderSize: d("400"),
    spacingModel: one.model,
  };
  const run = (how: Pick<WalkOptions, "mayLeap" | "everyPass">) =>
    walk(begin(checkGrid(request, setup), setup), ticks, { market, rules, balances, ...how });
  const of = (run: ReturnType<typeof walk>) => ({
    ...outcome(run.account.strategy, run.fills.newest(run.fills.count), run.balances),
    refused: run.account.strategy.state.refused,
  });
  const [walked, jumped] = [run({}), run({ mayLeap: true })];
  const measured = [walked, jumped].map((run) => figuresOf(run, ticks, d("10000"))) as [Figures, Figures];
  return {
    measured,
    walked: of(walked),
    jumped: of(jumped),
    every: () => of(run({ everyPass: true })),
    engine: jumped.engine,
    fills: jumped.fills.count,
  };
}

/** What is measured in floats agrees but for the order in which they were summed, and which of two equal falls was greater. */
function expectClose(a: Figures, b: Figures): void {
  const flat = ({ drawdown, sharpe, timeInRange, series }: Figures, other: Figures) => [
    drawdown.amount,
    sharpe ?? 0,
    timeInRange,
    ...series
      .filter(({ at }) => other.series.some((point) => point.at === at))
      .flatMap(({ at, price, equity }) => [at, price, equity]),
  ];
  const [some, others] = [flat(a, b), flat(b, a)];
  expect(Math.abs(a.series.length - b.series.length)).toBeLessThanOrEqual(2);
  expect(others).toHaveLength(some.length);
  for (const [i, one] of some.entries())
    expect(Math.abs(one - (others[i] as number))).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(one)));
}

describe("the whole-number engine", () => {
  it("matches a run with every pass, fill by fill and in the whole ledger", () => {
    let [jumps, fills] = [0, 0];
    fc.assert(
      fc.property(randoms, (one) => {
        const { walked, jumped, measured, engine, fills: count } = both(one);
        if (engine === "jump") [jumps, fills] = [jumps + 1, fills + count];
        expect(jumped).toEqual(walked);
        expectClose(...measured);
      }),
      { numRuns: most(25, 5), endOnFailure: true, examples: [[MEETS]] },
    );
    expect(jumps, "none was played in whole numbers").toBeGreaterThan(0);
    expect(fills, "nothing was filled").toBeGreaterThan(0);
  });

  it("skips no pass that would have changed something", () => {
    fc.assert(
      fc.property(randoms, (one) => {
        const { walked, every } = both(one, 60);
        expect(walked).toEqual(every());
      }),
      { numRuns: most(25, 4), endOnFailure: true, examples: [[MEETS]] },
    );
  });

  it("stops with the partial result when interrupted, and then has no band", () => {
    const candles = randomCandles(3, 400, 30);
    const market = marketOf({ tick: d("1") });
    const request = { lowerPrice: d("9000"), upperPrice: d("11000"), gridLevels: 20, orderSize: d("100") };
    const isOver = (bars: number) => bars >= 200;
    const { run, band } = backtest(request, candles, { market, engine: "walk", withBand: true, isOver });
    expect(run.bars).toBeGreaterThanOrEqual(200);
    expect(run.bars).toBeLessThan(400);
    expect(band).toBeNull();
  });

  it.each(["walk", undefined] as const)(
    "has the band of a run by each order of the extremes and each fill rule: %s",
    (engine) => {
      const candles = randomCandles(3, 160, 30);
      const market = marketOf({ tick: d("1"), maker: d("0.0005") });
      const request = { lowerPrice: d("9000"), upperPrice: d("11000"), gridLevels: 20, orderSize: d("100") };
      const by = (rules: Partial<Rules>, withBand = false) =>
        backtest(request, candles, { market, withBand, rules, ...(engine ? { engine } : {}) });
      const alone = (["cross", "touch"] as const).flatMap((fill) =>
        (["nearest", "high_first", "low_first"] as const).map((extremes) => by({ extremes, fill })),
      );
      const { run, figures, band, warnings } = by({}, true);
      const { account, balances, passes } = alone[0]?.run ?? {};
      expect(run).toMatchObject({ account, balances, passes });
      expect(figures).toEqual(alone[0]?.figures);
      const cycles = alone.map(({ run }) => run.account.strategy.state.ledger.cycles);
      expect(new Set(cycles).size).toBeGreaterThan(1);
      expect(band?.count).toEqual({ least: Math.min(...cycles), most: Math.max(...cycles) });
      const totals = alone.map(({ figures }) => figures.total).sort((a, b) => (a < b ? -1 : 1));
      expect(band?.total).toEqual({ least: totals[0], most: totals[5] });
      expect(by({ fill: "touch" }, true).band).toEqual(band);
      const crossed = alone.slice(0, 3).map(({ run }) => run.account.strategy.state.ledger.cycles);
      const coarse = warnings.find(({ code }) => code === "coarse_candles");
      if (coarse)
        expect(coarse.message).toContain(`${Math.min(...crossed)} to ${Math.max(...crossed)} cycles`);
    },
  );

  it.each([1, 7, 8, 63, 64, 65, 511, 4095, 4096, 4097])("ends after the last of %i bars", (count) => {
    const narrow = randomCandles(7, count, 12);
    const times = (column: Float64Array | Int32Array) =>
      Float64Array.from(column, (price) => price * 10 ** 7);
    const { open, high, low, close } = narrow;
    const wide = { ...narrow, open: times(open), high: times(high), low: times(low), close: times(close) };
    for (const candles of [narrow, candlesIn(wide)]) {
      const bars = ticksOf(candles, d("1"));
      for (const from of new Set([0, count >> 1, count - 1, count])) {
        expect(nextBar(bars, from, -Infinity, Infinity)).toBe(count);
        expect(nextBar(bars, from, 1, Infinity)).toBe(count);
      }
      expect(nextBar(bars, 0, -Infinity, highAt(bars, count - 1))).toBeLessThan(count);
    }
  });

  it("finds the same next bar as a check of every bar", () => {
    const bars = ticksOf(randomCandles(7, 20_000, 12), d("1"));
    for (let from = 0; from < 20_000; from += 611)
      for (const width of [5, 60, 300, 900, 5000]) {
        const reach = { below: 10_000 - width, above: 10_000 + width };
        let plain = from;
        while (plain < 20_000 && lowAt(bars, plain) > reach.below && highAt(bars, plain) < reach.above)
          plain++;
        expect(nextBar(bars, from, reach.below, reach.above)).toBe(plain);
      }
  });
});

const month = january();

describe.skipIf(!month)("the whole-number engine over a real week", () => {
  const week = month && slice(month, month.from, month.from + 7 * DAY);

  it.each(partOf([...WEEKS.slice(0, 6), ...DAYS.slice(0, 8)], 0))("gives the same result: $name", (one) => {
    const run = prepared(one, week as Candles);
    const [plain, leapt] = [walked(run), walked(run, { mayLeap: true })];
    const of = ({ account, fills, balances }: typeof plain) => outcome(account.strategy, fills, balances);
    expect(of(leapt)).toEqual(of(plain));
  });

  it("reports which engine ran", () => {
    const engineOf = (name: string) => {
      const one = WEEKS.find((week) => week.name === name) as Case;
      const { market, request } = prepared({ ...one, base: "0" }, week as Candles);
      return backtest(request, week as Candles, { market }).engine;
    };
    expect([engineOf("a linear grid, fees in quote"), engineOf("a stop price")]).toEqual(["jump", "walk"]);
  });
});
