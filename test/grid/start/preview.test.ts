import { describe, expect, it } from "vitest";
import {
  boundLeft,
  type ExposedGrid,
  gridExposure,
  positionWithBuys,
  previewChange,
  saleOf,
  unbegunBase,
  withBound,
} from "../../../src/grid/start/preview.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import { type GridStrategy, NO_LEDGER } from "../../../src/grid/state/state.ts";
import { NO_MEMORY } from "../../../src/model/memory.ts";
import type { KnownExposure } from "../../../src/model/proposal.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { StrategyView } from "../../../src/ports/stores/store.ts";
import { AROUND, d, market, slot, state } from "../../support/grid.ts";
import { NOW, order, quote, SYMBOL, strategy } from "../../support/made.ts";

/** Two slots of 100, of which one has bought 2 for 200.005; 12.345 are realized. */
const LEDGER = { ...NO_LEDGER, realized: d("12.345") };
const HOLDS = state([slot({ side: "sell", base: d("2"), cost: d("200.01") }), slot({ index: 1 })], {
  ledger: LEDGER,
});
const grid = (over: Partial<Strategy> = {}) => strategy({ state: HOLDS, ...over }) as GridStrategy;
const view = (over: Partial<Strategy> = {}, marks = {}): StrategyView<GridStrategy> => ({
  strategy: grid(over),
  openOrders: 3,
  memory: { ...NO_MEMORY, marks },
  steppedAt: NOW,
  accountError: null,
  retryAt: 0,
  steppedBy: null,
  costs: [],
  now: NOW,
});
const EMPTY = { state: state([slot(), slot({ index: 1 })], { ledger: LEDGER }) };

describe("the approval view of a change", () => {
  it("shows what it does to the grid, and the grid's position", () => {
    expect(previewChange(view(), { text: "pause" })).toEqual({
      what: "pause g, which is running (active) with 3 open orders",
      cost: "nothing at once; 12.35 USDT realized so far",
      worstCase: "2 BTC bought at 100.01 USDT stay in the account and can lose value",
      limits: [],
    });
    expect(previewChange(view(EMPTY), { text: "pause" }).worstCase).toBe("it has no BTC");
  });

  it("of a grid that buys again names all that its slots can buy", () => {
    const preview = previewChange(view(), { text: "resume", buys: true });
    expect(preview.cost).toBe("up to 200 USDT in buys; 12.35 USDT realized so far");
  });

  it("of a stop that sells shows the sale", () => {
    const sale = { text: "2 BTC are sold", worstCase: "it falls" };
    const preview = previewChange(view(), { text: "stop", sale });
    expect(preview).toMatchObject({
      cost: "2 BTC are sold; 12.35 USDT realized so far",
      worstCase: "it falls",
    });
  });

  it("shows that nothing is placed while the kill switch is on", () => {
    expect(previewChange(view(), { text: "resume", killed: true }).limits).toEqual([
      "the kill switch is on: nothing is placed until it is turned off",
    ]);
  });
});

describe("the proceeds of a sale of a grid's base", () => {
  const level = (price: string, amount: string) => ({ price: d(price), amount: d(amount) });
  const book = { bids: [level("100", "1.5"), level("99", "0.5")], asks: [level("106", "9")], at: NOW };
  const UNKNOWN = "the proceeds in the order book are unknown";

  it("are computed from the order book, and valued at its mid", () => {
    expect(saleOf(grid(), { quote: quote(), book, mark: d("50") })).toEqual({
      text: "2 BTC are sold, worth 210 USDT at the mid of 105; at once 2 BTC for 199.5 USDT, at 99.75 on average and 99 at worst, in the current order book",
      worstCase:
        "the price falls during the sale: orders go down to 10 % below the mid price, now 189 USDT, and dust stays",
    });
  });

  it("are valued at the last known price if the exchange cannot be queried", () => {
    expect(saleOf(grid(), { mark: d("50") })).toMatchObject({
      text: `2 BTC are sold, worth 100 USDT at the mid of 50; ${UNKNOWN}`,
    });
    expect(saleOf(grid(), { quote: quote(), book: { ...book, bids: [] }, mark: d("50") }).text).toBe(
      `2 BTC are sold, worth 210 USDT at the mid of 105; ${UNKNOWN}`,
    );
    expect(saleOf({ ...grid(), symbol: SYMBOL }, { mark: d("50.126") }).text).toMatch(
      /^2 BTC are sold, worth 100.25 USDT at the mid of 50.13; /,
    );
  });
});

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
