import { describe, expect, it } from "vitest";
import { canSkip } from "../../../src/backtest/jump.ts";
import { wakeOf } from "../../../src/backtest/run/walk.ts";
import { endingFields } from "../../../src/engine/operations/ending-fields.ts";
import { centeredPreviewInput, rangePreviewInput } from "../../../src/grid/schema/input.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import { d } from "../../support/grid.ts";
import { most, partOf } from "../../support/whole.ts";
import { type Case, outcome, prepared, walked } from "../cases.ts";
import { randomCandles } from "../random-bars.ts";
import { requested } from "../stepped.ts";

/** Fields that do not change how a grid trades. */
const OTHERS = ["exchange", "symbol", "name", "dryRun", "dryBalance"];

const RANGE = { lowerPrice: 970, upperPrice: 1030, gridLevels: 12, orderSize: 400 };

const candles = randomCandles(11, most(250, 80), 40);

/** Options of every strategy; the market falls from 1,000 to them, or reaches them in time. */
const ENDING_CHANGES: Readonly<Record<string, object>> = {
  trailingStopPercent: { trailingStopPercent: 3 },
  maxLoss: { maxLoss: 3 },
  endsAt: { endsAt: candles.from + 30 * candles.spanMillis },
  onEnd: { endsAt: candles.from + 30 * candles.spanMillis, onEnd: "sell" },
};

/** Another value of each option of a range grid. A new option needs one here. */
const RANGE_CHANGES: Readonly<Record<string, object>> = {
  lowerPrice: { lowerPrice: 960 },
  upperPrice: { upperPrice: 1040 },
  gridLevels: { gridLevels: 7 },
  orderSize: { orderSize: 150 },
  gridSpacing: { gridSpacing: 4 },
  spacingModel: { spacingModel: "geometric" },
  allowLoss: { allowLoss: true },
  useOwnBase: { useOwnBase: false },
  initialBuy: { initialBuy: true },
  postOnly: { postOnly: false },
  stopLossPrice: { stopLossPrice: 966 },
  takeProfitPrice: { takeProfitPrice: 1034 },
  stopAtOnce: { stopLossPrice: 966, stopAtOnce: true },
  triggerPrice: { triggerPrice: 990 },
  trail: { trail: { up: 1080, down: 920 } },
  confidence: { confidence: 0.5 },
  maxPosition: { maxPosition: 0.2 },
  safetyReserve: { safetyReserve: 0.9 },
  reinvest: { reinvest: 1 },
  ...ENDING_CHANGES,
};

const AROUND = { levels: 4, spacing: 0.006, size: 300, deviation: 0.004, debounce: 60_000 };

const CENTERED_CHANGES: Readonly<Record<string, object>> = {
  levels: { levels: 3 },
  spacing: { spacing: 0.004 },
  size: { size: 120 },
  confidence: { confidence: 0.3 },
  deviation: { deviation: 0.002 },
  deviationFrom: { deviationFrom: "center" },
  debounce: { debounce: 600_000 },
  maxPosition: { maxPosition: 0.3 },
  safetyReserve: { safetyReserve: 0.9 },
  reinvest: { reinvest: 1 },
  spacingModel: { spacingModel: "geometric" },
  spacingFactor: { spacingModel: "geometric", spacingFactor: 1.5 },
  customSpacings: { spacingModel: "custom", customSpacings: [0.004, 0.008, 0.013, 0.02] },
  sizeModel: { sizeModel: "pyramidal" },
  sizeWeights: { sizeModel: "custom", sizeWeights: [1, 2, 1, 3] },
  volatility: { volatility: true, volatilityLow: 0.002, volatilityHigh: 0.02 },
  volatilityLow: { volatility: true, volatilityLow: 0.001, volatilityHigh: 0.02 },
  volatilityHigh: { volatility: true, volatilityLow: 0.002, volatilityHigh: 0.03 },
  allowLoss: { allowLoss: true },
  useOwnBase: { useOwnBase: false },
  initialBuy: { initialBuy: true },
  postOnly: { postOnly: false },
  stopLossPrice: { stopLossPrice: 990 },
  takeProfitPrice: { takeProfitPrice: 1015 },
  stopAtOnce: { takeProfitPrice: 1015, stopAtOnce: true },
  triggerPrice: { triggerPrice: 990 },
  ...ENDING_CHANGES,
};

const STEPS = { tick: d("0.1"), step: d("0.1") };
const MARKET = { tick: d("0.1"), maker: d("0.0002"), taker: d("0.0004"), minNotional: d("1") };

/** The candles are around 10,000 units of a tenth. */
const caseOf = (geometry: "grid" | "centered", of: object): Case => ({
  name: "",
  grid: requested(geometry, of),
  market: MARKET,
  base: "0.5",
});

const ways = { all: { everyPass: true }, walk: {}, leap: { mayLeap: true } };

function resultOf(run: ReturnType<typeof prepared>, how: object) {
  const { account, fills, balances } = walked(run, how);
  return outcome(account.strategy, fills, balances);
}

function outcomes(of: Case) {
  const run = prepared(of, scaled);
  return { all: resultOf(run, ways.all), walk: resultOf(run, ways.walk), leap: resultOf(run, ways.leap) };
}

const tenth = (column: ArrayLike<number>) => Float64Array.from(column, (price) => price / 10);
const scaled = {
  ...candles,
  open: tenth(candles.open),
  high: tenth(candles.high),
  low: tenth(candles.low),
  close: tenth(candles.close),
};

const named = (shape: object) =>
  [...new Set([...Object.keys(shape), ...Object.keys(endingFields())])]
    .filter((name) => !OTHERS.includes(name))
    .sort();

describe("every option of a grid", () => {
  it("has another value to test here", () => {
    expect(Object.keys(RANGE_CHANGES).sort()).toEqual(named(rangePreviewInput([]).shape));
    expect(Object.keys(CENTERED_CHANGES).sort()).toEqual(named(centeredPreviewInput([]).shape));
  });

  it.each(partOf(Object.entries(RANGE_CHANGES), 0))(
    "gives the same result in every engine, between two prices: %s",
    (_, of) => {
      const { all, walk, leap } = outcomes(caseOf("grid", { ...RANGE, ...of }));
      expect(walk).toEqual(all);
      expect(leap).toEqual(all);
    },
  );

  it.each(partOf(Object.entries(CENTERED_CHANGES), 1))(
    "gives the same result in every engine, centered: %s",
    (_, of) => {
      const { all, walk, leap } = outcomes(caseOf("centered", { ...AROUND, ...of }));
      expect(walk).toEqual(all);
      expect(leap).toEqual(all);
    },
  );

  it.each([
    "gridLevels",
    "orderSize",
    "useOwnBase",
    "initialBuy",
    "maxPosition",
    "safetyReserve",
    "trail",
    "reinvest",
  ])("changes the result where it takes effect: %s", (name) => {
    const leapOf = (of: object) => resultOf(prepared(caseOf("grid", of), scaled), ways.leap);
    const plain = leapOf(RANGE);
    const changed = leapOf({ ...RANGE, ...RANGE_CHANGES[name] });
    expect(changed.fills).not.toEqual(plain.fills);
  });
});

describe("an unlisted option", () => {
  it("requires every pass", () => {
    const { account } = walked(prepared(caseOf("grid", RANGE), scaled));
    const config = { ...account.strategy.config, highestBuy: d("980") } as GridConfig;
    expect(canSkip("wake", config) || canSkip("leap", config)).toBe(false);
    const of = { ...account, strategy: { ...account.strategy, config } };
    expect(wakeOf(account, STEPS)).toBeDefined();
    expect(wakeOf(of, STEPS)).toBeUndefined();
  });
});

it("a grid that lacks quote makes passes at new lows, not wherever the price is below a level", () => {
  const run = prepared({ ...caseOf("grid", RANGE), quote: "300" }, scaled);
  const [few, all] = [walked(run), walked(run, ways.all)];
  expect(outcome(few.account.strategy, few.fills, few.balances)).toEqual(
    outcome(all.account.strategy, all.fills, all.balances),
  );
  expect(few.account.strategy.state.refused.map(({ reason }) => reason)).toContain("no_quote");
  expect(few.passes.length).toBeLessThan(all.passes.length / 4);
});
