import { describe, expect, it } from "vitest";
import {
  type GridStart,
  lossAt,
  mostMoved,
  mostQuote,
  neededQuote,
  worstCases,
} from "../../../src/grid/start/worst-case.ts";
import type { CenteredConfig, GridConfig } from "../../../src/grid/state/config.ts";
import { wire } from "../../../src/kernel/decimal.ts";
import { d, market, slot } from "../../support/grid.ts";

/** Fees of a quarter: of 60 at 80 a buy brings 0.75 for 75; at 100 the first 0.6 bring 45. */
const MARKET = market({ maker: d("0.1"), taker: d("0.25") });
const CONFIG: GridConfig = {
  lowerPrice: d("80"),
  upperPrice: d("120"),
  gridLevels: 2,
  gridSpacing: d("20"),
  orderSize: d("60"),
};
const BUYS = slot({ lower: d("80"), upper: d("100"), size: d("60") });
const SELLS = slot({ ...BUYS, side: "sell" });
const OWNS = slot({ ...SELLS, base: d("0.6") });
const begins = ({
  slots = [BUYS],
  config = {},
  ...over
}: Partial<Omit<GridStart, "config" | "state">> & {
  readonly slots?: GridStart["state"]["slots"];
  readonly config?: Partial<GridConfig>;
} = {}): GridStart => ({
  config: { ...CONFIG, ...config },
  state: { slots, idle: [] },
  startPrice: d("90"),
  takingPrice: d("90"),
  market: MARKET,
  balances: [],
  ...over,
});

describe("the quote that keeps every slot funded", () => {
  it("is the cost of buys with fees, plus what a slot that sells first lacks for its next buy", () => {
    expect(neededQuote(begins())).toBe(d("75"));
    expect(neededQuote(begins({ slots: [BUYS, BUYS] }))).toBe(d("150"));
    expect(neededQuote(begins({ slots: [OWNS] }))).toBe(d("30"));
    expect(neededQuote(begins({ market: { ...MARKET, buyFeeIn: "base" } }))).toBe(d("60"));
    // One lot of 1 is sold for 150 or more, and the buy after it needs 250 with its fee.
    const whole = market({ lot: d("1"), maker: 0n, taker: d("0.25") });
    const far = slot({ ...OWNS, upper: d("200"), size: d("200"), lower: d("101"), base: d("1") });
    expect(neededQuote(begins({ slots: [far], market: whole }))).toBe(d("100"));
  });

  it("includes the immediate buy, if requested", () => {
    expect(neededQuote(begins({ slots: [SELLS] }))).toBe(d("75"));
    // 0.8 are bought so that 0.6 are left of the fee in base: 72 at 90, and a quarter more; then the 30.
    expect(neededQuote(begins({ slots: [SELLS], config: { initialBuy: true } }))).toBe(d("120"));
    expect(neededQuote(begins({ config: { initialBuy: true } }))).toBe(d("75"));
  });
});

describe("the maximum quote that becomes base", () => {
  it("is the sum of all slots, with fees if they are charged in quote", () => {
    expect(mostMoved(begins({ slots: [BUYS, SELLS] }))).toBe(d("120"));
    expect(mostQuote(begins({ slots: [BUYS, SELLS] }))).toBe(d("150"));
  });

  it("includes the levels to which it follows the market", () => {
    expect(mostMoved(begins({ slots: [BUYS, SELLS], config: { trail: { down: d("40") } } }))).toBe(d("240"));
  });

  it("is the account's quote, or its share of it, around the market", () => {
    const centered = {} as CenteredConfig;
    const balances = [
      { asset: "BTC", free: d("7"), used: d("1") },
      { asset: "USDT", free: d("600"), used: d("400") },
    ];
    const most = (config: Partial<GridConfig>) => {
      const all = begins({ config: { centered, ...config }, balances });
      expect(mostQuote(all)).toBe(mostMoved(all));
      return mostQuote(all);
    };
    expect(most({})).toBe(d("1000"));
    expect(most({ safetyReserve: d("0.2") })).toBe(d("800"));
    expect(most({ maxPosition: d("0.3") })).toBe(d("300"));
    expect(most({ maxPosition: d("0.9"), safetyReserve: d("0.2") })).toBe(d("800"));
    expect(mostQuote(begins({ config: { centered } }))).toBe(0n);
  });
});

describe("the possible loss at a price", () => {
  it("is what a buy paid minus the value of its base there, with the fees of a sale", () => {
    expect(lossAt(d("80"), begins())).toBe(d("15"));
    expect(lossAt(d("80"), begins(), true)).toBe(d("30"));
    expect(lossAt(d("80"), begins({ slots: [BUYS, BUYS] }))).toBe(d("30"));
    expect(lossAt(d("120"), begins())).toBe(0n);
    // A fee in base leaves 0.5625 of 60.
    expect(lossAt(d("80"), begins({ market: { ...MARKET, buyFeeIn: "base" } }))).toBe(d("15"));
    expect(lossAt(d("40"), begins({ slots: [SELLS] }))).toBe(d("45"));
  });

  it("of a slot with base is the worst of three outcomes", () => {
    const at = (price: string, startPrice: string, slots = [OWNS]) =>
      lossAt(d(price), begins({ slots, startPrice: d(startPrice) }));
    // Its 0.6 were worth 54; sold for 45, and bought again for 15 less than they are worth.
    expect(at("80", "90")).toBe(d("24"));
    // They were worth less than they are sold for: only the buy counts.
    expect(at("80", "60")).toBe(d("15"));
    // They have lost by themselves: 240 − 126.
    expect(at("210", "400")).toBe(d("114"));
    // One that buys holds base of a buy that has filled in part.
    const part = [{ ...OWNS, side: "buy" as const }];
    expect([at("80", "90", part), at("210", "400", part)]).toEqual([d("24"), d("114")]);
  });

  it("of base bought at once is its cost, or the cost of a later buy", () => {
    const at = (price: string, takingPrice: string) =>
      lossAt(d(price), begins({ slots: [SELLS], config: { initialBuy: true }, takingPrice: d(takingPrice) }));
    expect(at("80", "90")).toBe(d("42"));
    expect(at("0", "60")).toBe(d("75"));
    expect(lossAt(d("80"), begins({ config: { initialBuy: true } }))).toBe(d("15"));
  });

  it("is all its funds if it can be rebuilt", () => {
    const balances = [{ asset: "USDT", free: d("100"), used: 0n }];
    const all = begins({ slots: [OWNS], config: { centered: {} as CenteredConfig }, balances });
    expect(lossAt(d("80"), all)).toBe(d("154"));
    expect(lossAt(d("80"), { ...all, balances: [] })).toBe(d("54"));
    expect(lossAt(d("0"), { ...all, state: { idle: [], slots: [BUYS, BUYS] }, balances: [] })).toBe(d("150"));
  });
});

describe("the prices at which a plan shows the loss", () => {
  const format = (config: Partial<GridConfig>) =>
    worstCases(begins({ config })).map(({ price, loss }) => [wire(price), wire(loss)]);

  it("are its lowest level, zero, and its stop bounds", () => {
    expect(format({})).toEqual([
      [80, 15],
      [0, 75],
    ]);
    // Two slots lower down hold 1 and 1.5 for 75 each.
    expect(format({ trail: { down: d("40") } })).toEqual([
      [80, 15],
      [40, 45 + 35 + 15],
      [0, 225],
    ]);
    expect(format({ stopLossPrice: d("64") })).toEqual([
      [80, 15],
      [64, 75 - 36],
      [0, 75],
    ]);
  });

  it("are empty for a grid that has no lowest level", () => {
    expect(format({ centered: {} as CenteredConfig })).toEqual([[0, 75]]);
  });
});
