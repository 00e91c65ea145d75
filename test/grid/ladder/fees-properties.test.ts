import { describe, expect, it } from "vitest";
import { breakEvenRatio, netOfCycle, worstRatio } from "../../../src/grid/ladder/check-rules.ts";
import { roundToStep, text } from "../../../src/kernel/decimal.ts";
import { d, market } from "../../support/grid.ts";

const eight = (value: bigint) => text(roundToStep(value, d("0.00000001"), "half"));
const both = (rate: string, buyFeeIn: "base" | "quote") => ({ buy: d(rate), sell: d(rate), buyFeeIn });

describe("the break-even ratio", () => {
  it.each([
    ["0.0005", "1.00100075", "1.0010005"],
    ["0.001", "1.002003", "1.002002"],
    ["0.002", "1.00401203", "1.00400802"],
    ["0.004", "1.00804826", "1.00803213"],
  ])("at a fee of %s", (rate, inBase, inQuote) => {
    expect(eight(breakEvenRatio(both(rate, "base")))).toBe(inBase);
    expect(eight(breakEvenRatio(both(rate, "quote")))).toBe(inQuote);
  });

  it("uses the worse combination when maker and taker fees differ", () => {
    const uneven = market({ maker: d("0.001"), taker: d("0.003") });
    expect(worstRatio(uneven)).toBe(breakEvenRatio({ buy: d("0.001"), sell: d("0.003"), buyFeeIn: "quote" }));
  });
});

describe("the net of one cycle", () => {
  it.each([
    ["100", "101", "0.001", "0.00799", "0.00798101"],
    ["0.1", "0.101", "0.002", "0.00598", "0.00596404"],
  ])("from %s to %s", (buyAt, sellAt, rate, inQuote, inBase) => {
    const prices = { buyAt: d(buyAt), sellAt: d(sellAt) };
    expect(eight(netOfCycle({ ...prices, fees: both(rate, "quote") }))).toBe(inQuote);
    expect(eight(netOfCycle({ ...prices, fees: both(rate, "base") }))).toBe(inBase);
  });
});

it("uses the higher cost when the asset of a buy's fee is unknown", () => {
  const rates = { buy: d("0.001"), sell: d("0.001") };
  const inEither = (["base", "quote"] as const).map((buyFeeIn) => breakEvenRatio({ ...rates, buyFeeIn }));
  const dearer = inEither[0] !== undefined && inEither[1] !== undefined && inEither[0] > inEither[1];
  expect(dearer).toBe(true);
  expect(breakEvenRatio({ ...rates, buyFeeIn: "unknown" })).toBe(inEither[0]);
});
