import { describe, expect, it } from "vitest";
import {
  breakEvenRatio,
  netOfCycle,
  quoteFee,
  restingFees,
  worstRatio,
} from "../../../src/grid/ladder/check-rules.ts";
import { d, market } from "../../support/grid.ts";

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
