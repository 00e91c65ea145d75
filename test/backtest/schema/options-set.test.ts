import { expect, it } from "vitest";
import { optionsIn } from "../../../cli/actions/backtest.ts";
import { otherSettingsOf } from "../../../src/backtest/operations/backtest.ts";
import { requestedAs } from "../../../src/grid/start/as-requested.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import { d } from "../../support/grid.ts";

const RANGE = {} as GridConfig;
const CENTERED = { centered: {} } as GridConfig;

const optionsSet = (own: GridConfig, set: string) => otherSettingsOf(own, optionsIn(set));
const requested = (own: GridConfig, set: string) => requestedAs(own, optionsSet(own, set));

it("options are named by their field, their flag or its short form", () => {
  expect(optionsSet(RANGE, "size=80,levels=20,lower=1.5")).toEqual({
    orderSize: d("80"),
    gridLevels: 20,
    lowerPrice: d("1.5"),
  });
  expect(optionsSet(RANGE, "orderSize=80, order-size = 90")).toEqual({ orderSize: d("90") });
  expect(optionsSet(CENTERED, "levels=3,size=80,deviation-from=center")).toEqual({
    levels: 3,
    size: d("80"),
    deviationFrom: "center",
  });
  // A centered grid has no short forms of the other one.
  expect(() => requested(CENTERED, "lower=5")).toThrow("lower is not a setting of a centered grid");
});

it("values are numbers, words, true or false", () => {
  expect(optionsSet(RANGE, "initialBuy=true,post-only=false,spacingModel=geometric")).toEqual({
    initialBuy: true,
    postOnly: false,
    spacingModel: "geometric",
  });
  expect(() => optionsSet(RANGE, "initialBuy=1")).toThrow();
  expect(() => optionsSet(RANGE, "levels=true")).toThrow();
  expect(() => optionsSet(RANGE, "levels=1.2.3")).toThrow();
});

it("other options are refused", () => {
  for (const name of ["exchange", "symbol", "dryRun", "dryBalance", "spread", ""])
    expect(() => requested(RANGE, `${name}=1`)).toThrow(
      `${name} is not a setting of a grid between two prices`,
    );
  expect(() => optionsSet(RANGE, "levels")).toThrow("must be a whole number");
});
