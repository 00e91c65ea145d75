import { describe, expect, it } from "vitest";
import { checkCentered, checkStart } from "../../../src/grid/start/check.ts";
import { edited, type GridChange } from "../../../src/grid/start/edited.ts";
import { describeChanges } from "../../../src/grid/start/planned-edit.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import type { GridState, GridStrategy } from "../../../src/grid/state/state.ts";
import { ONE } from "../../../src/kernel/decimal.ts";
import { AROUND, d, market, slot, state } from "../../support/grid.ts";
import { quote, strategy } from "../../support/made.ts";

/** The market is at 105. */
const INPUTS = { market: market(), quote: quote() };
const NO_FUNDS = { ...INPUTS, balances: undefined };
const REQUEST = {
  lowerPrice: d("100"),
  upperPrice: d("120"),
  gridLevels: 4,
  orderSize: d("50"),
  stopLossPrice: d("90"),
  takeProfitPrice: d("130"),
};
const RANGE = checkStart(REQUEST, NO_FUNDS).config;
const SPACED = checkStart({ ...REQUEST, gridSpacing: d("4") }, NO_FUNDS).config;
const CENTERED = checkCentered({ orderSize: d("50"), centered: AROUND }, NO_FUNDS).config;

const grid = (config: GridConfig, of: Partial<GridState> = {}, over: object = {}) =>
  strategy({ config, state: state([slot()], of), ...over }) as GridStrategy;
const change = (config: GridConfig, request: GridChange, of: Partial<GridState> = {}) =>
  edited(grid(config, of), request, INPUTS);
const refused = (label: string, message: string) => expect.objectContaining({ label, message });

describe("a change of a grid between two prices", () => {
  it("changes the named fields, and no others", () => {
    const { config, before, isRelaid, warnings } = change(RANGE, { orderSize: d("60") });
    expect(config).toEqual({ ...RANGE, orderSize: d("60"), trail: undefined, allowLoss: undefined });
    expect([before, isRelaid, warnings]).toEqual([RANGE, true, []]);
    expect(change(RANGE, { lowerPrice: d("104") }).config).toMatchObject({
      lowerPrice: d("104"),
      upperPrice: d("120"),
      gridSpacing: d("4"),
      isSpaced: false,
    });
    expect(change(RANGE, { upperPrice: d("124") }).config).toMatchObject({ gridSpacing: d("6") });
    expect(change(RANGE, { gridLevels: 5 }).config).toMatchObject({ gridLevels: 5, gridSpacing: d("4") });
  });

  it("keeps a given spacing until its range or levels change", () => {
    expect(change(SPACED, { orderSize: d("60") }).config).toMatchObject({
      gridSpacing: d("4"),
      isSpaced: true,
    });
    expect(change(SPACED, { upperPrice: d("124") }).config).toMatchObject({
      gridSpacing: d("6"),
      isSpaced: false,
    });
    expect(change(SPACED, { lowerPrice: d("104") }).config.isSpaced).toBe(false);
    expect(change(SPACED, { gridLevels: 5 }).config.isSpaced).toBe(false);
    expect(change(RANGE, { gridSpacing: d("3") }).config).toMatchObject({
      gridSpacing: d("3"),
      isSpaced: true,
    });
    expect(change(SPACED, { upperPrice: d("124"), gridSpacing: d("3") }).config).toMatchObject({
      gridSpacing: d("3"),
      isSpaced: true,
    });
  });

  it("to stop prices and losses leaves every order in place", () => {
    const { config, isRelaid } = change(RANGE, { stopLossPrice: d("95"), takeProfitPrice: 0n });
    expect([config.stopLossPrice, config.takeProfitPrice]).toEqual([d("95"), undefined]);
    expect(isRelaid).toBe(false);
    expect(change(RANGE, { takeProfitPrice: d("125") }).config.takeProfitPrice).toBe(d("125"));
    const without = change(RANGE, { stopLossPrice: 0n }).config;
    expect([without.stopLossPrice, without.takeProfitPrice]).toEqual([undefined, d("130")]);
    expect(change(RANGE, { allowLoss: false })).toMatchObject({
      isRelaid: false,
      config: { allowLoss: false },
    });
  });

  it("divides a budget over its orders, and accepts no size with it", () => {
    expect(change(RANGE, { budget: d("300") }).config.orderSize).toBe(d("75"));
    expect(change(RANGE, { budget: d("1000"), gridLevels: 3 }).config.orderSize).toBe(d("333.33333333"));
    expect(() => change(RANGE, { budget: d("300"), orderSize: d("75") })).toThrow(
      refused("Invalid order size", "set either orderSize or budget, not both"),
    );
  });

  it.each<[string, GridChange]>([
    ["nothing", {}],
    ["its own size", { orderSize: d("50") }],
    ["its own bounds", { lowerPrice: d("100"), upperPrice: d("120") }],
    ["its own stop price", { stopLossPrice: d("90") }],
    ["its own take-profit price", { takeProfitPrice: d("130") }],
  ])("has no changed field if it changes nothing: %s", (_, request) => {
    expect(describeChanges(change(RANGE, request))).toEqual([]);
  });

  it("is rejected for conflicting prices, and for the same reasons as a start", () => {
    expect(() => change(RANGE, { lowerPrice: d("120") })).toThrow(
      refused("Invalid range", "lowerPrice must be below upperPrice"),
    );
    expect(() => change(RANGE, { stopLossPrice: d("100") })).toThrow(
      refused("Invalid price", "stopLossPrice must be below lowerPrice"),
    );
    expect(() => change(RANGE, { orderSize: d("4") })).toThrow(/^orderSize must be at least/);
    expect(() => change(RANGE, { spacing: d("0.1") })).toThrow(
      refused("Invalid request", "spacing is not a setting of a grid between two prices"),
    );
  });

  it("reports if the market has already passed a stop price", () => {
    const format = (request: GridChange) => change(RANGE, request).warnings.map(({ message }) => message);
    const passed = (price: string) =>
      `the market is at 105, which has passed ${price}: it stops and sells its base at once`;
    const above = { lowerPrice: d("107"), upperPrice: d("119") };
    expect(format({ ...above, stopLossPrice: d("105") })).toContain(passed("105"));
    expect(format({ ...above, stopLossPrice: d("104.99") })).toHaveLength(1);
    const below = { lowerPrice: d("95"), upperPrice: d("103") };
    expect(format({ ...below, takeProfitPrice: d("105") })).toContain(passed("105"));
    expect(format({ ...below, takeProfitPrice: d("105.01") })).toHaveLength(1);
    const [, stops] = change(RANGE, { ...above, stopLossPrice: d("106") }).warnings;
    expect(stops).toEqual({ code: "stops_at_once", message: passed("106") });
    // Without either price nothing is passed.
    const plain = checkStart({ ...REQUEST, stopLossPrice: undefined, takeProfitPrice: undefined }, NO_FUNDS);
    expect(change(plain.config, { orderSize: d("60") }).warnings).toEqual([]);
  });
});

describe("a change of a grid that follows the market", () => {
  const TRAILS = { ...RANGE, trail: { up: d("140"), down: d("80") } };
  const bounds = (request: GridChange, steps = 0) =>
    change({ ...TRAILS, stopLossPrice: undefined, takeProfitPrice: undefined }, request, {
      trail: { way: null, steps },
    }).config;

  it("starts from its current position", () => {
    expect(bounds({ orderSize: d("60") }, 2)).toMatchObject({ lowerPrice: d("110"), upperPrice: d("130") });
    expect(bounds({ orderSize: d("60") }, -1)).toMatchObject({ lowerPrice: d("95"), upperPrice: d("115") });
    expect(bounds({ orderSize: d("60") })).toMatchObject({ lowerPrice: d("100"), upperPrice: d("120") });
    for (const moved of [{ budget: d("300") }, { gridSpacing: d("4") }, { gridLevels: 5 }] as GridChange[])
      expect(bounds(moved, 2).lowerPrice).toBe(d("110"));
    expect(bounds({ lowerPrice: d("104") }, 2)).toMatchObject({ lowerPrice: d("104"), upperPrice: d("130") });
    expect(bounds({ upperPrice: d("135") }, 2)).toMatchObject({ lowerPrice: d("110"), upperPrice: d("135") });
    // A stop price moves no level.
    expect(bounds({ stopLossPrice: d("70") }, 2)).toMatchObject({ lowerPrice: d("100") });
  });

  it("starts from the last request if no pass has recorded it yet", () => {
    const request = { ...TRAILS, orderSize: d("70") };
    const waiting = grid(TRAILS, { trail: { way: null, steps: 2 }, edits: 0 }, { edit: request, edits: 1 });
    const { before, config } = edited(waiting, { gridLevels: 5 }, INPUTS);
    expect(before).toBe(request);
    expect(config).toMatchObject({ orderSize: d("70"), lowerPrice: d("100"), gridLevels: 5 });
  });

  it("starts from its current position if the request that waits moves no level", () => {
    const request = { ...TRAILS, stopLossPrice: d("70") };
    const waiting = grid(TRAILS, { trail: { way: null, steps: 2 }, edits: 0 }, { edit: request, edits: 1 });
    expect(edited(waiting, { orderSize: d("60"), takeProfitPrice: 0n }, INPUTS).config).toMatchObject({
      stopLossPrice: d("70"),
      lowerPrice: d("110"),
      upperPrice: d("130"),
    });
  });

  it("keeps the bounds that are still ahead of it", () => {
    const plain = { stopLossPrice: d("1"), takeProfitPrice: 0n } as const;
    const trail = (request: GridChange) => change(TRAILS, { ...plain, ...request }).config.trail;
    expect(trail({})).toEqual({ up: d("140"), down: d("80") });
    expect(trail({ upperPrice: d("140") })).toEqual({ up: undefined, down: d("80") });
    expect(trail({ upperPrice: d("139.99") })).toMatchObject({ up: d("140") });
    expect(trail({ lowerPrice: d("80") })).toEqual({ up: d("140"), down: undefined });
    expect(trail({ lowerPrice: d("80.01") })).toMatchObject({ down: d("80") });
    expect(trail({ lowerPrice: d("70"), upperPrice: d("150") })).toBeUndefined();
    const up = { ...RANGE, trail: { up: d("140") } };
    expect(change(up, { orderSize: d("60") }).config.trail).toEqual({ up: d("140"), down: undefined });
    const down = { ...RANGE, trail: { down: d("80") } };
    expect(change(down, { orderSize: d("60") }).config.trail).toEqual({ up: undefined, down: d("80") });
  });
});

describe("a change of a grid around the market", () => {
  it("can change its levels, its spacing and its size", () => {
    const { config, isRelaid } = change(CENTERED, { gridLevels: 6, spacing: d("0.05"), budget: d("360") });
    expect(config).toMatchObject({
      gridLevels: 6,
      orderSize: d("60"),
      // 105 and shares of 15 % of it.
      lowerPrice: d("89.25"),
      upperPrice: d("120.75"),
      centered: { ...AROUND, levels: 3, spacing: d("0.05") },
    });
    expect(isRelaid).toBe(true);
    expect(change(CENTERED, { orderSize: d("60") }).config).toMatchObject({
      orderSize: d("60"),
      gridLevels: 4,
      centered: AROUND,
    });
    expect(change(CENTERED, { allowLoss: true })).toMatchObject({
      isRelaid: false,
      config: { allowLoss: true },
    });
    const lossy = { ...CENTERED, allowLoss: true };
    expect(change(lossy, { orderSize: d("60") }).config.allowLoss).toBe(true);
  });

  it.each<[string, GridChange]>([
    ["lowerPrice", { lowerPrice: d("90") }],
    ["upperPrice", { upperPrice: d("130") }],
    ["gridSpacing", { gridSpacing: d("4") }],
  ])("is rejected for fields that it does not have: %s", (name, request) => {
    expect(() => change(CENTERED, request)).toThrow(
      refused("Invalid request", `${name} is not a setting of a centered grid`),
    );
  });

  it("is rejected if both sides do not have the same number of levels", () => {
    const even = refused(
      "Invalid levels",
      "a centered grid has the same number of levels on each side; set an even number from 2 to 20",
    );
    const near = { ...CENTERED, centered: { ...AROUND, spacing: d("0.01") } };
    expect(() => change(CENTERED, { gridLevels: 5 })).toThrow(even);
    expect(() => change(near, { gridLevels: 22 })).toThrow(even);
    expect(change(near, { gridLevels: 20 }).config.gridLevels).toBe(20);
  });

  it("is rejected for another number of levels if its profile lists each level", () => {
    const custom = refused(
      "Invalid levels",
      "custom spacings or sizes have one value per level; start a new grid",
    );
    const spaced = { ...AROUND, spacingModel: "custom", customSpacings: [d("0.1"), d("0.2")] } as const;
    const sized = { ...AROUND, sizeModel: "custom", sizeWeights: [ONE, ONE] } as const;
    for (const centered of [spaced, sized]) {
      expect(() => change({ ...CENTERED, centered }, { gridLevels: 6 })).toThrow(custom);
      expect(change({ ...CENTERED, centered }, { orderSize: d("60") }).config.orderSize).toBe(d("60"));
    }
  });
});
