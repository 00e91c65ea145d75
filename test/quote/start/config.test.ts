import { describe, expect, it } from "vitest";
import { ONE } from "../../../src/kernel/decimal.ts";
import { quotePreviewInput } from "../../../src/quote/schema/input.ts";
import { changedQuote, quoteConfigOf } from "../../../src/quote/start/requested-config.ts";
import { d } from "../../support/grid.ts";
import { REQUEST } from "../requested.ts";

const configOf = (over: object = {}) =>
  quoteConfigOf(quotePreviewInput(["kraken"]).parse({ ...REQUEST, ...over }), { base: ONE, quote: d("100") });

describe("the configuration of quotes", () => {
  it("has half the spread on each side, and defaults in proportion to it", () => {
    const { rules, tolerance } = configOf();
    expect(rules).toMatchObject({
      ...{ halfSpread: d("0.005"), gap: d("0.005"), mostSkew: d("0.005"), strength: d("0.01"), levels: 2 },
      sizes: { model: "flat", size: d("100") },
    });
    expect(tolerance.price).toBe(d("0.00125"));
    expect(configOf({ spread: 0.5 }).rules.mostSkew).toBe(d("0.1"));
  });

  it("has growing sizes, or a depth within a distance, on request", () => {
    expect(configOf({ growth: 2 }).rules.sizes).toEqual({ model: "growing", size: d("100"), factor: d("2") });
    const depth = configOf({ size: undefined, depth: 1000, within: 0.03 });
    expect(depth.rules.sizes).toEqual({ model: "depth", depth: d("1000"), within: d("0.03") });
  });

  it("reads a defence in ticks or as a pause, and none unless one is requested", () => {
    const defence = (defend?: string) => configOf({ defend }).rules.defence;
    expect(defence("20:60")).toEqual({ ticks: 20, passes: 60 });
    expect(defence("pause:30")).toEqual({ ticks: "pause", passes: 30 });
    expect([defence("off"), defence()]).toEqual([undefined, undefined]);
  });
});

describe("a change of quotes", () => {
  const before = configOf({ defend: "20:60", maxBase: 3, growth: 2 });

  it("leaves everything that it does not name", () => {
    expect(changedQuote(before, {})).toEqual(before);
    expect(changedQuote(before, { levels: 5 })).toEqual({ ...before, rules: { ...before.rules, levels: 5 } });
  });

  it("changes the spread with what depends on it", () => {
    const { rules, tolerance } = changedQuote(before, { spread: d("0.02") });
    expect(rules).toMatchObject({
      halfSpread: d("0.01"),
      gap: d("0.01"),
      mostSkew: d("0.01"),
      mostBase: d("3"),
    });
    expect(tolerance.price).toBe(d("0.0025"));
    expect(changedQuote(before, { spread: d("0.02"), tolerance: d("0.1") }).tolerance.price).toBe(d("0.1"));
  });

  it("keeps the growth of sizes, and ends a defence only on request", () => {
    expect(changedQuote(before, { size: d("7") }).rules.sizes).toEqual({
      model: "growing",
      size: d("7"),
      factor: d("2"),
    });
    expect(changedQuote(configOf(), { size: d("7") }).rules.sizes).toEqual({ model: "flat", size: d("7") });
    expect(changedQuote(before, { depth: d("9") }).rules.sizes).toEqual({
      model: "depth",
      depth: d("9"),
      within: d("0.02"),
    });
    expect(changedQuote(before, { defend: "off" }).rules.defence).toBeUndefined();
    expect(changedQuote(before, { maxBase: d("5"), minBase: d("1"), maxLoss: d("2") })).toMatchObject({
      rules: { mostBase: d("5"), leastBase: d("1"), defence: { ticks: 20, passes: 60 } },
      maxLoss: d("2"),
    });
  });
});
