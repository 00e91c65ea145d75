import { describe, expect, it } from "vitest";
import {
  boundLeft,
  type ExposedGrid,
  gridExposure,
  positionWithBuys,
  unbegunBase,
  withBound,
} from "../../../src/grid/start/preview.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import { NO_LEDGER } from "../../../src/grid/state/state.ts";
import type { KnownExposure } from "../../../src/model/proposal.ts";
import { AROUND, d, market, slot, state } from "../../support/grid.ts";
import { order } from "../../support/made.ts";

/** Of a grid between 100 and 110, the mid being 105. */
const exposed = (over: Partial<ExposedGrid> = {}): ExposedGrid => ({
  symbol: "BTC/USDT",
  config: { lowerPrice: d("100"), upperPrice: d("110"), gridLevels: 1, orderSize: d("100") } as GridConfig,
  state: state([slot()]),
  market: market(),
  mid: d("105"),
  buys: [],
  capital: undefined,
  exitsOnLoss: false,
  ...over,
});
const known = (over: Partial<ExposedGrid> = {}) => gridExposure(exposed(over)) as KnownExposure;
const holding = slot({ side: "sell", base: d("1"), cost: d("100") });

describe("the exposure of a grid", () => {
  it("is the size of a slot that buys", () => {
    expect(known()).toMatchObject({ base: 0n, quote: d("100"), counted: d("100"), exits: 0n });
  });

  it("is the base of a slot that holds some, at the mid: its sell pays for the next buy", () => {
    expect(known({ state: state([holding]) })).toMatchObject({ base: d("1"), quote: 0n, counted: d("105") });
  });

  it("is both for a slot with a partially filled buy", () => {
    const half = slot({ bought: d("0.5"), base: d("0.5"), cost: d("50") });
    expect(known({ state: state([half]) })).toMatchObject({ base: d("0.5"), quote: d("50") });
  });

  it("includes base that no slot holds", () => {
    const idle = [{ base: d("2"), cost: d("200"), first: false }];
    expect(known({ state: state([slot()], { idle }) })).toMatchObject({ base: d("2"), counted: d("310") });
  });

  it("counts a buy that can have filled as base, and not as quote", () => {
    const buys = [order({ amount: d("1"), booked: d("0.25"), price: d("100") })];
    expect(known({ buys })).toMatchObject({ base: d("0.75"), quote: d("25") });
    expect(known({ buys: [order({ ...buys[0], generation: 7 })] })).toMatchObject({ base: 0n });
    expect(positionWithBuys(exposed({ state: state([holding]), buys }))).toBe(d("1.75"));
  });

  it("counts its buys again if a stop price, take-profit price or loss limit sells them", () => {
    const { config } = exposed();
    for (const over of [
      { config: { ...config, stopLossPrice: d("90") } },
      { config: { ...config, takeProfitPrice: d("120") } },
      { exitsOnLoss: true },
    ])
      expect(known(over)).toMatchObject({ exits: d("100"), counted: d("200") });
  });

  it("counts an open buy twice if it can be placed again and an exit sells what it buys", () => {
    const buys = [order({ amount: d("1"), booked: d("0.25"), price: d("100") })];
    const config = { ...exposed().config, stopLossPrice: d("90") };
    expect(known({ buys, config })).toMatchObject({ base: d("0.75"), quote: d("25"), counted: d("200") });
    const centered = { ...config, centered: AROUND, maxPosition: d("0.5") };
    expect(known({ buys, config: centered, capital: d("500") })).toMatchObject({ counted: d("1000") });
  });

  it("counts all base as one sell order at the stop price", () => {
    const two = { state: state([holding, slot({ index: 1 })]) };
    expect(known(two).largest).toBe(d("105"));
    expect(known({ ...two, laid: [slot({ size: d("1") })], exitsAtOnce: true }).largest).toBe(d("105"));
    expect(known({ ...two, laid: [slot({ size: d("500") })] }).largest).toBe(d("500"));
  });

  it("counts the slots of a new ladder in addition to all that the grid holds", () => {
    const over = { state: state([holding]), laid: [slot({ size: d("40") }), slot({ size: d("60") })] };
    expect(known(over)).toMatchObject({ base: d("1"), quote: d("100"), counted: d("205") });
  });

  it("counts each level that a trailing grid can reach", () => {
    const config = { ...exposed().config, gridSpacing: d("10"), isSpaced: true, trail: { down: d("80") } };
    expect(known({ config })).toMatchObject({ quote: d("300") });
  });

  it("adds two percent to a first buy for its fee and the spread", () => {
    const bare = slot({ side: "sell", size: d("100") });
    expect(known({ state: state([bare], { firstBuy: { tries: 0 } }) })).toMatchObject({ quote: d("102") });
    expect(known({ state: state([bare]) })).toMatchObject({ quote: d("100") });
  });

  it("of a grid that follows the market without bounds is its capital, and unknown without one", () => {
    const config = { ...exposed().config, centered: AROUND };
    expect(known({ config, capital: d("500") })).toMatchObject({ counted: d("500") });
    const owns = { config: { ...config, maxPosition: d("0.5") }, state: state([holding]) };
    expect(known({ ...owns, capital: d("500") })).toMatchObject({ base: d("1"), quote: d("395") });
    expect(gridExposure(exposed({ config }))).toMatchObject({
      trades: "unknown",
      why: "it can buy without limit",
    });
  });

  it("includes account base that it takes over later", () => {
    const starting = { config: exposed().config, state: state([slot({ side: "sell" }), slot({ index: 1 })]) };
    const expected = (over: object, status: "idle" | "running" = "running") =>
      unbegunBase({ ...starting, ...over, status }, market());
    expect(expected({})).toBe(d("0.90909"));
    expect(expected({}, "idle")).toBe(d("1.81818"));
    expect(expected({ config: { ...starting.config, useOwnBase: false } })).toBe(0n);
    const bound = { base: d("0.5"), spent: 0n };
    expect(expected({ config: { ...starting.config, bound } })).toBe(d("0.5"));
    expect(known({ unbegun: d("0.5") })).toMatchObject({ base: d("0.5") });
  });
});

describe("the bound of a grid", () => {
  const ledger = { ...NO_LEDGER, quote: d("-40.04"), fees: { USDT: d("0.04") } };

  it("is the counted exposure, starting from its current fills", () => {
    const config = withBound(known({ state: state([holding]) }), exposed().config, ledger);
    expect(config.bound).toEqual({ base: d("1"), spent: d("40") });
    const { config: own } = exposed();
    expect(withBound({ trades: "nothing" }, own, ledger)).toBe(own);
  });

  it("leaves the amount that its fills have not spent, and is absent if nothing set it", () => {
    const config = { ...exposed().config, bound: { base: 0n, spent: d("100") } };
    const of = state([slot()], { ledger });
    expect(boundLeft({ config, state: of }, "BTC/USDT")).toBe(d("60"));
    expect(boundLeft({ config: { ...config, bound: { base: 0n, spent: 0n } }, state: of }, "BTC/USDT")).toBe(
      0n,
    );
    expect(boundLeft({ config: exposed().config, state: of }, "BTC/USDT")).toBeUndefined();
  });
});
