import { describe, expect, it } from "vitest";
import {
  type CenteredRequest,
  checkCentered,
  checkStart,
  type RequestedRange,
} from "../../../src/grid/start/check.ts";
import { ONE } from "../../../src/kernel/decimal.ts";
import { AROUND, d, market } from "../../support/grid.ts";
import { quote } from "../../support/made.ts";

/** The market is at 105, between 104 and 106. */
const INPUTS = { market: market(), quote: quote(), balances: undefined };
const RANGE: RequestedRange = {
  lowerPrice: d("100"),
  upperPrice: d("120"),
  gridLevels: 4,
  orderSize: d("50"),
};
const range = (over: Partial<RequestedRange> = {}) => checkStart({ ...RANGE, ...over }, INPUTS);
const invalid = (label: string, message: string | RegExp) =>
  expect.objectContaining({
    label,
    message: typeof message === "string" ? message : expect.stringMatching(message),
  });

describe("a grid between two prices", () => {
  it("is laid out from the lower to the upper price, around the exact mid", () => {
    const { config, slots, startPrice, center, warnings } = range();
    expect(config).toEqual({ ...RANGE, gridSpacing: d("5"), isSpaced: false });
    expect(slots.map(({ lower, upper, side }) => [lower, upper, side])).toEqual([
      [d("100"), d("105"), "buy"],
      [d("105"), d("110"), "sell"],
      [d("110"), d("115"), "sell"],
      [d("115"), d("120"), "sell"],
    ]);
    expect([startPrice, center, warnings]).toEqual([d("105"), d("105"), []]);
  });

  it("reports the ratio of two levels of a geometric grid, rounded down", () => {
    const geometric = { spacingModel: "geometric", gridLevels: 2 } as const;
    const ratio = (upperPrice: string) =>
      range({ ...geometric, upperPrice: d(upperPrice) }).config.gridSpacing;
    expect(ratio("400")).toBe(ONE);
    // The root of 2 is 1.414213562373095048…
    expect(ratio("200")).toBe(d("0.414213562373095048"));
  });

  it("is geometric below a price of one, too", () => {
    const cheap = { lowerPrice: d("0.001"), upperPrice: d("0.002"), gridLevels: 2, orderSize: d("50") };
    const setup = {
      ...INPUTS,
      market: market({ tick: d("0.00001") }),
      quote: quote({ bid: d("0.0014"), ask: d("0.0016") }),
    };
    expect(
      checkStart({ ...cheap, spacingModel: "geometric" }, setup).slots.map(({ upper }) => upper),
    ).toEqual([d("0.00141"), d("0.002")]);
  });

  it("keeps a given spacing as far as it fits", () => {
    const { config, slots } = range({ gridSpacing: d("4") });
    expect(config).toMatchObject({ gridSpacing: d("4"), isSpaced: true });
    expect(slots.at(-1)?.upper).toBe(d("116"));
    expect(range({ gridSpacing: d("5") }).slots.at(-1)?.upper).toBe(d("120"));
    expect(() => range({ gridSpacing: d("5.01") })).toThrow(
      invalid(
        "Invalid spacing",
        "4 slots of this spacing exceed upperPrice; the widest spacing that fits is 5 USDT",
      ),
    );
    expect(() => range({ gridSpacing: d("4"), spacingModel: "geometric" })).toThrow(
      invalid(
        "Invalid spacing",
        "a geometric grid has no gridSpacing; remove gridSpacing or use linear spacing",
      ),
    );
    expect(range({ gridSpacing: d("4"), spacingModel: "linear" }).slots).toHaveLength(4);
  });

  it("is rejected if two levels share a price or one has no valid price", () => {
    const tick = (price: string) => ({ ...INPUTS, market: market({ tick: d(price), minNotional: d("1") }) });
    const message =
      "two levels fall on one price: the tick here is 10 USDT; use fewer levels or a wider range";
    expect(() => checkStart(RANGE, tick("10"))).toThrow(invalid("Invalid spacing", message));
    expect(checkStart(RANGE, tick("5")).slots).toHaveLength(4);
    const low = { ...RANGE, lowerPrice: d("0.004"), gridLevels: 2 };
    expect(() => checkStart(low, tick("0.01"))).toThrow("two levels fall on one price");
  });

  it("is rejected for prices, sizes and funds with a separate label each", () => {
    expect(() => range({ upperPrice: d("105000.01") })).toThrow(
      invalid("Invalid range", /^upperPrice is more/),
    );
    expect(() => range({ orderSize: d("4") })).toThrow(
      invalid("Invalid order size", /^orderSize must be at least 5\.\d+ USDT here/),
    );
    const poor = { ...INPUTS, balances: [] };
    expect(() => checkStart(RANGE, poor)).toThrow(invalid("Start failed", /^no order could be placed/));
    const base = { ...INPUTS, balances: [{ asset: "BTC", free: d("1"), used: 0n }] };
    expect(checkStart(RANGE, base).slots).toHaveLength(4);
    // Its base is bought first, and there is nothing to buy it with.
    expect(() => checkStart({ ...RANGE, initialBuy: true }, base)).toThrow(/lacks [\d.]+ USDT; deposit it/);
  });

  it("reports the effect of its fees, and where the market is", () => {
    const codes = (over: Partial<RequestedRange>) => range(over).warnings.map(({ code }) => code);
    const narrow = { lowerPrice: d("105"), upperPrice: d("105.4"), gridLevels: 4 };
    expect(codes(narrow)).toEqual(["below_break_even"]);
    expect(codes({ ...narrow, allowLoss: true })).toEqual(["below_break_even"]);
    expect(codes({ upperPrice: d("104") })).toEqual(["market_outside"]);
    expect(codes({ lowerPrice: d("106"), upperPrice: d("106.4") })).toEqual([
      "below_break_even",
      "market_outside",
    ]);
    expect(() => range({ ...narrow, allowLoss: false })).toThrow(
      invalid("Invalid spacing", /^every cycle loses money: .*; use a wider range, or set allowLoss$/),
    );
  });
});

const CENTERED: CenteredRequest = { orderSize: d("50"), centered: AROUND };
const around = (over: Partial<CenteredRequest["centered"]> = {}, of: Partial<CenteredRequest> = {}) =>
  checkCentered({ ...CENTERED, ...of, centered: { ...CENTERED.centered, ...over } }, INPUTS);

describe("a grid around the market", () => {
  it("is placed around the mid, and reports its outermost levels", () => {
    const { config, slots, startPrice, center, warnings } = around();
    // 105 and shares of 10 and 20 % of it on each side.
    expect(slots.map(({ lower }) => lower)).toEqual([d("84"), d("94.5"), d("105"), d("115.5")]);
    expect(config).toEqual({
      ...CENTERED,
      lowerPrice: d("84"),
      upperPrice: d("126"),
      gridLevels: 4,
      gridSpacing: d("10.5"),
    });
    expect([startPrice, center, warnings]).toEqual([d("105"), d("105"), []]);
  });

  it("is placed around the center that its preview showed", () => {
    const { startPrice, center, slots } = checkCentered(CENTERED, INPUTS, d("100"));
    expect([startPrice, center]).toEqual([d("105"), d("100")]);
    expect(slots[0]?.lower).toBe(d("80"));
  });

  it("is rejected if its outermost level is too far away", () => {
    const most = (count: number) =>
      `the outermost level is too far from the center; at most ${count} levels fit`;
    expect(() => around({ levels: 10 })).toThrow(invalid("Invalid spacing", most(9)));
    expect(() => around({ spacing: d("0.95") })).toThrow(invalid("Invalid spacing", most(0)));
    expect(around({ levels: 9 }).slots).toHaveLength(18);
  });

  it("is rejected if two levels share a price, an order is too small, or nothing can be placed", () => {
    expect(() => around({ spacing: d("0.00001") })).toThrow("two levels fall on one price");
    expect(() => around({}, { orderSize: d("4") })).toThrow(
      invalid("Invalid order size", /^size must be at least [\d.]+ USDT here/),
    );
    const base = { ...INPUTS, balances: [{ asset: "BTC", free: d("1"), used: 0n }] };
    expect(() => checkCentered(CENTERED, { ...INPUTS, balances: [] })).toThrow("no order could be placed");
    expect(checkCentered(CENTERED, base).slots).toHaveLength(4);
    expect(() => checkCentered({ ...CENTERED, initialBuy: true }, base)).toThrow(
      /lacks [\d.]+ USDT; deposit it/,
    );
  });

  it("is rejected if it loses and no loss is allowed, with a spacing to use instead", () => {
    const narrow = { spacing: d("0.0005") };
    expect(around(narrow).warnings.map(({ code }) => code)).toEqual(["below_break_even"]);
    expect(() => around(narrow, { allowLoss: false })).toThrow(
      invalid("Invalid spacing", /; use a spacing of at least 0\.\d+, or set allowLoss$/),
    );
  });
});
