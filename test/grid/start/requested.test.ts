import { describe, expect, it } from "vitest";
import { pastOut, startOf } from "../../../src/grid/operations/guide.ts";
import { centeredPreviewInput, rangePreviewInput } from "../../../src/grid/schema/input.ts";
import { requestedAs } from "../../../src/grid/start/as-requested.ts";
import { centeredOf, checkCentered, checkStart, requestedRangeOf } from "../../../src/grid/start/check.ts";
import { firstState } from "../../../src/grid/start/planned-start.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import { ONE } from "../../../src/kernel/decimal.ts";
import { d, market } from "../../support/grid.ts";
import { quote } from "../../support/made.ts";

const INPUTS = { market: market(), quote: quote(), balances: undefined };
const WHERE = { exchange: "kraken", symbol: "BTC/USDT", dryRun: true, dryBalance: "USDT=100" };
const RANGE = { lowerPrice: 100, upperPrice: 120, gridLevels: 4, orderSize: 50 };
const range = (over: object = {}) =>
  requestedRangeOf(rangePreviewInput(["kraken"]).parse({ ...WHERE, ...RANGE, ...over }));
const around = (over: object = {}) =>
  centeredOf(centeredPreviewInput(["kraken"]).parse({ ...WHERE, ...over }));
const refused = (label: string, message: string) => expect.objectContaining({ label, message });

describe("the requested settings of a grid", () => {
  it("are reported separately from where it trades", () => {
    expect(range({ stopLossPrice: 90 })).toEqual({
      lowerPrice: d("100"),
      upperPrice: d("120"),
      gridLevels: 4,
      orderSize: d("50"),
      stopLossPrice: d("90"),
    });
    expect(Object.keys(around()).sort()).toEqual([
      "centered",
      "confidence",
      "maxPosition",
      "orderSize",
      "safetyReserve",
    ]);
    expect(around({ volatility: true }).centered.volatility).toEqual({ low: d("0.02"), high: d("0.05") });
    expect(around().centered).not.toHaveProperty("volatility");
    expect(around().centered).not.toHaveProperty("size");
  });
});

describe("a configuration converted to a start request", () => {
  const asRequested = (request: ReturnType<typeof range>, changes = {}) =>
    requestedAs(checkStart(request, INPUTS).config, changes) as ReturnType<typeof range>;
  const asAround = (request: ReturnType<typeof around>, changes = {}) =>
    requestedAs(checkCentered(request, INPUTS).config, changes) as ReturnType<typeof around>;

  it("lays out the same grid between two prices", () => {
    for (const over of [
      {},
      { gridSpacing: 4 },
      { spacingModel: "geometric" },
      { trail: { up: 140 }, allowLoss: true },
    ]) {
      const { config, slots } = checkStart(range(over), INPUTS);
      expect(checkStart(asRequested(range(over)), INPUTS)).toMatchObject({ config, slots });
    }
    // A spacing that was computed is computed anew.
    expect(asRequested(range(), { upperPrice: d("140") })).not.toHaveProperty("gridSpacing");
    expect(asRequested(range({ gridSpacing: 4 }), { orderSize: d("60") })).toMatchObject({
      gridSpacing: d("4"),
      orderSize: d("60"),
    });
  });

  it("lays out the same grid around the market", () => {
    const profiles = [
      {},
      { levels: 2, spacing: 0.05, volatility: true, volatilityLow: 0.01, volatilityHigh: 0.09 },
      {
        levels: 2,
        spacingModel: "custom",
        customSpacings: [0.05, 0.1],
        sizeModel: "custom",
        sizeWeights: [1, 2],
      },
      {
        allowLoss: true,
        useOwnBase: false,
        initialBuy: true,
        postOnly: false,
        confidence: 0.5,
        maxPosition: 0.7,
        safetyReserve: 0.1,
      },
    ];
    for (const over of profiles) {
      const { config, slots } = checkCentered(around(over), INPUTS);
      expect(checkCentered(asAround(around(over)), INPUTS)).toEqual({
        ...checkCentered(around(over), INPUTS),
        config: expect.objectContaining(config),
        slots,
      });
    }
    // One that was stored without them asks for what a start does by itself.
    const {
      confidence: _c,
      maxPosition: _m,
      safetyReserve: _s,
      ...bare
    } = checkCentered(around(), INPUTS).config;
    expect(requestedAs(bare as GridConfig, {})).toMatchObject({
      confidence: d("0.6"),
      maxPosition: d("0.8"),
      safetyReserve: d("0.2"),
    });
    expect(asAround(around(), { spacing: d("0.03") }).centered.spacing).toBe(d("0.03"));
  });

  it("is rejected with fields that its kind does not have, and with invalid values", () => {
    expect(() => asRequested(range(), { spacing: d("0.1") })).toThrow(
      refused("Invalid request", "spacing is not a setting of a grid between two prices"),
    );
    expect(() => asAround(around(), { lowerPrice: d("1") })).toThrow(
      refused("Invalid request", "lowerPrice is not a setting of a centered grid"),
    );
    expect(() => asRequested(range(), { lowerPrice: d("130") })).toThrow(
      refused("Invalid range", "lowerPrice must be below upperPrice"),
    );
    expect(() => asAround(around(), { sizeModel: "custom", sizeWeights: [ONE] })).toThrow(
      refused("Invalid order size", "sizeWeights must have one multiple per level"),
    );
  });
});

describe("a new grid", () => {
  it("starts with no position, no orders in flight and nothing paid", () => {
    const checked = checkStart(range(), INPUTS);
    const { slots, startPrice, center } = checked;
    expect(firstState(checked, { ask: d("106"), at: 7 })).toEqual({
      generation: 0,
      serial: 0,
      refused: [],
      exit: null,
      notices: [],
      epoch: null,
      recoversUntil: 0,
      idle: [],
      widening: ONE,
      mids: [],
      signal: null,
      rebuild: null,
      trail: { way: null, steps: 0 },
      firstBuy: null,
      laidAt: 7,
      slots,
      startPrice,
      center,
      ledger: {
        quote: 0n,
        firstBase: 0n,
        firstCost: 0n,
        realized: 0n,
        fees: {},
        cash: {},
        feesValue: 0n,
        feesEstimated: false,
        moved: {},
        filledOrders: 0,
        cycles: 0,
      },
    });
    const bought = firstState(checkStart(range({ initialBuy: true }), INPUTS), { ask: d("106"), at: 7 });
    expect(bought.firstBuy).toEqual({ tries: 0, ask: d("106") });
  });
});

describe("a guided start converted to a request", () => {
  const PRICES = { lowerPrice: d("100"), upperPrice: d("120"), gridLevels: 4, orderSize: d("12.5") };
  const request = {
    exchange: "kraken",
    symbol: "BTC/USDT",
    budget: d("50"),
    width: "usual",
    onLeave: "wait",
  } as never;
  const out = (over: object = {}, of: object = {}) =>
    startOf({ ...(request as object), ...of } as never, { ...PRICES, ...over } as never);
  const SETTINGS = {
    lowerPrice: 100,
    upperPrice: 120,
    gridLevels: 4,
    orderSize: 12.5,
    allowLoss: false,
    useOwnBase: false,
  };
  const plain = (over: object = {}) => ({
    definition: "grid",
    exchange: "kraken",
    symbol: "BTC/USDT",
    config: { ...SETTINGS, ...over },
  });

  it("has no unnecessary fields", () => {
    expect(out()).toEqual(plain());
    expect(out({ stopLossPrice: d("90"), takeProfitPrice: d("130") })).toEqual({
      ...plain({ stopLossPrice: 90, takeProfitPrice: 130 }),
    });
    expect(out({ trail: { up: d("130"), down: d("90") } })).toEqual({
      ...plain({ trail: { up: 130, down: 90 } }),
    });
    expect(out({ trail: { up: d("130") } })).toEqual(plain());
    expect(out({ trail: { down: d("90") } })).toEqual(plain());
    const paper = { useOwnBase: true, dryRun: true, dryBalance: { USDT: d("100"), BTC: d("0.5") } };
    expect(out({}, paper)).toEqual({
      ...plain({ useOwnBase: true }),
      dryRun: true,
      dryBalance: "USDT=100,BTC=0.5",
    });
  });

  it("reports the price history that it used", () => {
    const candle = (at: number, low: string, high: string) => ({ at, low: d(low), high: d(high) }) as never;
    expect(
      pastOut([candle(1000, "90", "110"), candle(2000, "95", "120"), candle(3000, "80", "85")], 1000),
    ).toEqual({
      from: 1000,
      until: 4000,
      lowPrice: 80,
      highPrice: 120,
    });
  });
});
