import { describe, expect, it } from "vitest";
import {
  breakEvenRatio,
  checkFunds,
  checkMinimum,
  checkPrices,
  checkSpacing,
  leastSize,
  netOfCycle,
  outside,
  quoteFee,
  restingFees,
  spacingWarnings,
  worstRatio,
} from "../../../src/grid/ladder/check-rules.ts";
import type { Slot } from "../../../src/grid/state/state.ts";
import { d, market, slot } from "../../support/grid.ts";

const MARKET = market({ lot: d("0.001"), minAmount: d("0.001") });

describe("a price", () => {
  const RANGE = { upperPrice: d("2") };
  const check = (over: object) => checkPrices({ ...RANGE, ...over } as never, d("1"));

  it.each([
    ["upperPrice", "Invalid range", (price: string) => ({ upperPrice: d(price) })],
    ["gridSpacing", "Invalid spacing", (price: string) => ({ gridSpacing: d(price) })],
    ["stopLossPrice", "Invalid price", (price: string) => ({ stopLossPrice: d(price) })],
    ["takeProfitPrice", "Invalid price", (price: string) => ({ takeProfitPrice: d(price) })],
    ["triggerPrice", "Invalid price", (price: string) => ({ triggerPrice: d(price) })],
    ["trail.up", "Invalid price", (price: string) => ({ trail: { up: d(price) } })],
  ])("is rejected above a thousand times the market price, as %s", (name, label, of) => {
    expect(() => check(of("1000"))).not.toThrow();
    const message = `${name} is more than 1000 times the market's price, 1`;
    expect(() => check(of("1000.01"))).toThrow(expect.objectContaining({ label, message }));
  });
});

describe("the minimum size of a slot", () => {
  it("is the highest minimum of its orders: the buy, the sell of its proceeds and the first sell", () => {
    expect(leastSize(slot(), MARKET)).toBe(d("5.06"));
    expect(leastSize(slot({ upper: d("125") }), MARKET)).toBe(d("5"));
    const rates = { maker: d("0.1"), taker: d("0.5") };
    expect(leastSize(slot(), { ...MARKET, ...rates, buyFeeIn: "base" })).toBe(d("9.2"));
    expect(leastSize(slot(), { ...MARKET, ...rates, buyFeeIn: "unknown" })).toBe(d("9.2"));
    expect(leastSize(slot(), { ...MARKET, ...rates })).toBe(d("5.06"));
  });

  it("is checked against each slot's size and reported as a value for the requested size", () => {
    const check = (sizes: readonly string[], size: string) =>
      checkMinimum(
        sizes.map((one) => slot({ size: d(one) })),
        MARKET,
        { name: "orderSize", size: d(size) },
      );
    expect(() => check(["5.06", "5.06"], "5.06")).not.toThrow();
    expect(() => check(["5.06", "5.05"], "5.06")).toThrow(
      expect.objectContaining({
        label: "Invalid order size",
        message: "orderSize must be at least 5.071 USDT here; the exchange accepts no smaller orders",
      }),
    );
    expect(() => check(["2.53", "5.06"], "2.53")).toThrow("orderSize must be at least 5.06 USDT here");
  });
});

describe("the spacing", () => {
  const LOSES = {
    code: "below_break_even",
    message: "every cycle loses money: the smallest distance between levels is 40 %, but fees cost 50 %",
  };
  const warned = (ratio: string, maker: string, taker = maker) =>
    spacingWarnings(d(ratio), market({ maker: d(maker), taker: d(taker) }));

  it("causes a warning if fees exceed its gain, at the maker or the taker rate", () => {
    expect(warned("1.4", "0.2")).toEqual([LOSES]);
    expect(warned("1.5", "0.2")).toEqual([]);
    expect(warned("1.374", "0.1", "0.2")).toMatchObject([{ code: "below_taker_break_even" }]);
    expect(warned("1.375", "0.1", "0.2")).toEqual([]);
  });

  it("is rejected if every cycle loses and no loss is allowed, with a spacing that works", () => {
    const check = (ratio: string, allowLoss?: boolean) =>
      checkSpacing(warned(ratio, "0.1", "0.2"), allowLoss, () => "ask for less");
    expect(check("1.1", true)).toMatchObject([{ code: "below_break_even" }]);
    expect(check("1.1")).toMatchObject([{ code: "below_break_even" }]);
    expect(check("1.3", false)).toMatchObject([{ code: "below_taker_break_even" }]);
    expect(() => check("1.1", false)).toThrow(
      expect.objectContaining({
        label: "Invalid spacing",
        message: expect.stringMatching(/^every cycle loses money: .*; ask for less, or set allowLoss$/),
      }),
    );
  });
});

it("a start warns of a market outside the levels, but not at either bound", () => {
  const codes = ["99.99", "100", "150", "200", "200.01"].map((price) =>
    outside([d("100"), d("150"), d("200")], d(price)).map(({ code }) => code),
  );
  expect(codes).toEqual([["market_outside"], [], [], [], ["market_outside"]]);
});

describe("the funds of a start", () => {
  // Of 100 at 100 and at 110: 1 and 0.909.
  const SLOTS = [
    slot({ size: d("200") }),
    slot(),
    slot({ lower: d("110"), upper: d("200"), size: d("200"), side: "sell" }),
  ];
  const check = (
    free: Readonly<Record<string, string>>,
    slots: readonly Slot[] = SLOTS,
    use: Parameters<typeof checkFunds>[3] = {},
  ) =>
    checkFunds(
      slots,
      market({ lot: d("0.001"), maker: d("0.1"), taker: d("0.1") }),
      Object.entries(free).map(([asset, amount]) => ({ asset, free: d(amount), used: 0n })),
      use,
    );

  it("are sufficient if one order can be placed, including its fee", () => {
    expect(() => check({ USDT: "110" })).not.toThrow();
    expect(() => check({ ETH: "9", BTC: "1" })).not.toThrow();
    expect(() => check({ USDT: "109.99", BTC: "0.999" })).toThrow(
      expect.objectContaining({
        label: "Start failed",
        message:
          "no order could be placed: the account lacks 0.001 BTC; deposit it, or set initialBuy to buy it",
      }),
    );
    expect(() => check({ ETH: "999" }, SLOTS.slice(0, 2))).toThrow(
      "the account lacks 110 USDT; deposit it, or set a smaller orderSize",
    );
  });

  it("can pay for the base that a sell lacks, at about the sell's proceeds", () => {
    const sells = SLOTS.slice(2);
    expect(() => check({ USDT: "220" }, sells)).toThrow("the account lacks 1 BTC");
    expect(() => check({ USDT: "220" }, sells, { initialBuy: true })).not.toThrow();
    expect(() => check({ USDT: "219" }, sells, { initialBuy: true })).toThrow(
      "the account lacks 1 USDT; deposit it, or set a smaller orderSize",
    );
  });

  it("can pay for the base that a sell lacks once the price has risen above it", () => {
    const sells = SLOTS.slice(2);
    expect(() => check({ USDT: "220" }, sells, { mayWait: true })).not.toThrow();
    expect(() => check({ BTC: "1" }, sells, { mayWait: true })).not.toThrow();
    expect(() => check({ USDT: "219" }, sells, { mayWait: true })).toThrow("no order could be placed");
  });
});

const fees = (over: object = {}) => ({ buy: d("0.2"), sell: d("0.2"), buyFeeIn: "quote" as const, ...over });

describe("the break-even ratio of a cycle", () => {
  it.each([
    ["quote", "1.5"],
    ["base", "1.5625"],
    ["unknown", "1.5625"],
  ] as const)("with a buy fee in %s", (buyFeeIn, ratio) => {
    expect(breakEvenRatio(fees({ buyFeeIn }))).toBe(d(ratio));
  });

  it("uses the worse case if either leg can be a taker", () => {
    const rates = (maker: string, taker: string) => market({ maker: d(maker), taker: d(taker) });
    expect(worstRatio(rates("0.1", "0.2"))).toBe(d("1.375"));
    expect(worstRatio(rates("0.2", "0.1"))).toBe(d("1.375"));
    expect(restingFees(rates("0.1", "0.2"))).toEqual(fees({ buy: d("0.1"), sell: d("0.1") }));
  });
});

describe("the net profit of a cycle", () => {
  it("is the sell's proceeds minus the buy's cost and the fees of both", () => {
    const sold = { buyAt: d("100"), sellAt: d("300") };
    const rates = { buy: d("0.1"), sell: d("0.2") };
    expect(netOfCycle({ ...sold, fees: fees(rates) })).toBe(d("1.3"));
    expect(netOfCycle({ ...sold, fees: fees({ ...rates, buyFeeIn: "base" }) })).toBe(d("1.16"));
  });

  it("is zero if the cycle only covers its fees", () => {
    for (const buyFeeIn of ["quote", "base"] as const) {
      const own = fees({ buyFeeIn });
      expect(netOfCycle({ buyAt: d("100"), sellAt: breakEvenRatio(own) * 100n, fees: own })).toBe(0n);
    }
  });
});

it("a buy fee counts in quote at the higher rate unless it is certainly charged in base", () => {
  const rates = { maker: d("0.1"), taker: d("0.2") };
  const fee = (buyFeeIn: "base" | "quote" | "unknown") => quoteFee(market({ ...rates, buyFeeIn }));
  expect([fee("quote"), fee("unknown"), fee("base")]).toEqual([d("0.2"), d("0.2"), 0n]);
});
