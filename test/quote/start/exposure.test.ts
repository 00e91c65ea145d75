import { describe, expect, it } from "vitest";
import { withFirstBase } from "../../../src/engine/position/position.ts";
import { positionExposure } from "../../../src/limits/position.ts";
import { largestQuote } from "../../../src/quote/operations/readings.ts";
import type { QuoteRules } from "../../../src/quote/plan.ts";
import { newQuoteState, type QuoteConfig, type QuoteState } from "../../../src/quote/state.ts";
import { d } from "../../support/grid.ts";
import { order } from "../../support/made.ts";

const rules = { levels: 1, sizes: { model: "flat", size: d("20") } } as QuoteRules;
const config = { budget: { base: d("2"), quote: d("100") }, rules } as QuoteConfig;
const begun = withFirstBase(newQuoteState(1, d("10")), d("2"));
const exposed = (state: QuoteState, over: object = {}, phase: "starting" | "active" = "active") =>
  positionExposure(
    { symbol: "BTC/USDT", config, state, phase },
    { mid: d("10"), buys: [], exitsOnLoss: false, largest: largestQuote(config), ...over },
  );

describe("the exposure of quotes", () => {
  it("is the budget at the start", () => {
    expect(exposed(newQuoteState(1, d("10")), {}, "starting")).toMatchObject({
      base: d("2"),
      quote: d("100"),
      counted: d("120"),
      largest: d("20"),
    });
  });

  it("includes later fills and what open bids may have bought", () => {
    const sold = { ...begun, base: d("1"), ledger: { ...begun.ledger, quote: d("10") } };
    expect(exposed(sold)).toMatchObject({ base: d("1"), quote: d("110") });
    const buys = [order({ amount: d("3"), booked: d("1"), price: d("9") })];
    expect(exposed(sold, { buys })).toMatchObject({ base: d("3"), quote: d("92") });
  });

  it("counts its bids twice if a loss limit sells them", () => {
    expect(exposed(begun, { exitsOnLoss: true })).toMatchObject({ exits: d("100"), counted: d("220") });
  });

  it("counts an open bid twice if it can be replaced and a loss limit sells what it buys", () => {
    const sold = { ...begun, base: d("1"), ledger: { ...begun.ledger, quote: d("10") } };
    const buys = [order({ amount: d("3"), booked: d("1"), price: d("9") })];
    expect(exposed(sold, { buys, exitsOnLoss: true })).toMatchObject({ counted: d("230") });
  });

  it("has its whole base as the largest order if it sells that at once", () => {
    const at = (price: string) => ({ sellsAtOnce: (mid: bigint) => mid >= d(price), mid: d("15") });
    expect(exposed(begun, at("15"))).toMatchObject({ largest: d("30") });
    expect(exposed(newQuoteState(1, d("10")), at("15"), "starting")).toMatchObject({ largest: d("30") });
    expect(exposed(begun, at("16"))).toMatchObject({ largest: d("20") });
    expect(exposed(begun, { ...at("15"), mid: d("1") })).toMatchObject({ largest: d("20") });
  });

  it("uses the whole side as the largest order if sizes follow a depth", () => {
    const deep = {
      ...config,
      rules: { ...rules, sizes: { model: "depth", depth: d("9"), within: d("0.1") } },
    };
    expect(
      positionExposure(
        { symbol: "BTC/USDT", config: deep as QuoteConfig, state: begun, phase: "active" },
        { mid: d("10"), buys: [], exitsOnLoss: false, largest: largestQuote(deep as QuoteConfig) },
      ),
    ).toMatchObject({ largest: d("100") });
  });

  it("is unknown without a price", () => {
    expect(exposed(begun, { mid: undefined })).toMatchObject({ trades: "unknown" });
  });
});
