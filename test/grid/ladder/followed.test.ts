import { expect, it } from "vitest";
import { followed } from "../../../src/grid/ladder/levels.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import { d, market, slot, state } from "../../support/grid.ts";

/** Levels 100, 110, 120. */
const slotsOf = (trail: object | undefined, over: object = {}) => {
  const config = {
    lowerPrice: d("100"),
    upperPrice: d("120"),
    gridLevels: 2,
    gridSpacing: d("10"),
    orderSize: d("50"),
    trail,
    ...over,
  } as unknown as GridConfig;
  const model = slot({ size: d("70"), side: "sell", base: d("3") });
  return followed({ config, state: state([model, model]), market: market({ tick: d("1") }) });
};
const prices = (trail: object | undefined, over: object = {}) =>
  slotsOf(trail, over).map(({ lower, upper }) => [lower, upper].map((price) => Number(price / d("1"))));

it("a grid that does not follow the market has no extra slots", () => {
  expect([prices(undefined), prices({})]).toEqual([[], []]);
});

it("extra slots extend both ends up to the requested bounds, and not beyond", () => {
  expect(prices({ down: d("80") })).toEqual([
    [90, 100],
    [80, 90],
  ]);
  expect(prices({ down: d("81") })).toEqual([[90, 100]]);
  expect(prices({ up: d("140") })).toEqual([
    [120, 130],
    [130, 140],
  ]);
  expect(prices({ up: d("139") })).toEqual([[120, 130]]);
  expect(prices({ up: d("130"), down: d("90") })).toEqual([
    [90, 100],
    [120, 130],
  ]);
});

it("extra slots buy for the size of an order and hold nothing", () => {
  const expected = { size: d("50"), side: "buy", base: 0n };
  expect(slotsOf({ up: d("130"), down: d("90") })).toMatchObject([expected, expected]);
});

it("extra slots end above zero, where two levels share a price, and after ten thousand", () => {
  expect(prices({ down: d("-50") }).at(-1)).toEqual([10, 20]);
  const narrow = { lowerPrice: d("2"), upperPrice: d("4"), gridLevels: 1, spacingModel: "geometric" };
  expect(prices({ down: d("0.1") }, narrow)).toEqual([[1, 2]]);
  expect(prices({ up: d("999999999") })).toHaveLength(10_000);
});
