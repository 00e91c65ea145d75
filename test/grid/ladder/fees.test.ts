import { describe, expect, it } from "vitest";
import {
  breakEvenRatio,
  netOfCycle,
  quoteFee,
  restingFees,
  worstRatio,
} from "../../../src/grid/ladder/fees.ts";
import { d, market } from "../../support/grid.ts";

const fees = (over: object = {}) => ({ buy: d("0.2"), sell: d("0.2"), buyFeeIn: "quote" as const, ...over });

describe("the ratio at which a cycle pays its fees", () => {
  it.each([
    ["quote", "1.5"],
    ["base", "1.5625"],
    ["unknown", "1.5625"],
  ] as const)("of a buy's fee in %s", (buyFeeIn, ratio) => {
    expect(breakEvenRatio(fees({ buyFeeIn }))).toBe(d(ratio));
  });

  it("is the worse one where either leg takes", () => {
    const rates = (maker: string, taker: string) => market({ maker: d(maker), taker: d(taker) });
    expect(worstRatio(rates("0.1", "0.2"))).toBe(d("1.375"));
    expect(worstRatio(rates("0.2", "0.1"))).toBe(d("1.375"));
    expect(restingFees(rates("0.1", "0.2"))).toEqual(fees({ buy: d("0.1"), sell: d("0.1") }));
  });
});

describe("what a cycle nets", () => {
  it("is what its sell brings beyond its buy, less the fees of both", () => {
    const sold = { buyAt: d("100"), sellAt: d("300") };
    const rates = { buy: d("0.1"), sell: d("0.2") };
    expect(netOfCycle({ ...sold, fees: fees(rates) })).toBe(d("1.3"));
    expect(netOfCycle({ ...sold, fees: fees({ ...rates, buyFeeIn: "base" }) })).toBe(d("1.16"));
  });

  it("is nothing where it only pays them", () => {
    for (const buyFeeIn of ["quote", "base"] as const) {
      const own = fees({ buyFeeIn });
      expect(netOfCycle({ buyAt: d("100"), sellAt: breakEvenRatio(own) * 100n, fees: own })).toBe(0n);
    }
  });
});

it("takes a buy's fee in quote at the dearer rate, unless it is surely taken in base", () => {
  const rates = { maker: d("0.1"), taker: d("0.2") };
  const fee = (buyFeeIn: "base" | "quote" | "unknown") => quoteFee(market({ ...rates, buyFeeIn }));
  expect([fee("quote"), fee("unknown"), fee("base")]).toEqual([d("0.2"), d("0.2"), 0n]);
});
