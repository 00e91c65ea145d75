import { describe, expect, it } from "vitest";
import { ONE } from "../../../src/kernel/decimal.ts";
import { changedQuote, quoteConfigOf } from "../../../src/quote/start/planned-quote.ts";
import { d } from "../../support/grid.ts";
import { quoteSettings } from "../../support/starts.ts";
import { REQUEST } from "../requested.ts";

const configOf = (over: object = {}) =>
  quoteConfigOf(quoteSettings({ ...REQUEST, ...over }), { base: ONE, quote: d("100") });

describe("the configuration of quotes", () => {
  it("has half the spread on each side, and defaults in proportion to it", () => {
    const { rules, tolerance } = configOf();
    expect(rules).toMatchObject({
      halfSpread: d("0.005"),
      gap: d("0.005"),
      mostSkew: d("0.005"),
      strength: d("0.01"),
      levels: 2,
      sizes: { model: "flat", size: d("100") },
    });
    expect(tolerance.price).toBe(d("0.00125"));
    expect(configOf({ spreadPercent: 50 }).rules.mostSkew).toBe(d("0.1"));
  });

  it("has every value that is requested, and no source that is turned off", () => {
    const over = {
      gapPercent: 0.4,
      volatilityFactor: 2,
      target: 0.25,
      skewPercent: 3,
      gamma: 0.1,
      sigma: 2,
      k: 1.5,
      maxBase: 7,
      minBase: 0.5,
      maxLoss: 30,
      tolerancePercent: 0.2,
      fixedPrice: 61_000,
      maxAge: 5000,
      useOwn: false,
      useDex: false,
      collarPercent: 20,
      defend: "20:60",
    };
    expect(configOf(over)).toEqual({
      rules: {
        levels: 2,
        gap: d("0.004"),
        sizes: { model: "flat", size: d("100") },
        halfSpread: d("0.005"),
        volatilityFactor: d("2"),
        target: d("0.25"),
        strength: d("0.03"),
        mostSkew: d("0.005"),
        widest: d("0.1"),
        avellaneda: { gamma: 0.1, sigma: 2, k: 1.5, horizon: 1 },
        mostBase: d("7"),
        leastBase: d("0.5"),
        defence: { ticks: 20, passes: 60 },
      },
      tolerance: { price: d("0.002"), amount: d("0.5") },
      weights: { own: 0n, others: ONE, dex: 0n },
      fixed: { price: d("61000"), weight: ONE },
      maxAge: 5000,
      collar: d("0.2"),
      maxLoss: d("30"),
      budget: { base: ONE, quote: d("100") },
    });
    const bare = configOf({ collarPercent: 0 });
    expect(bare.weights).toEqual({ own: ONE, others: ONE, dex: ONE });
    for (const name of ["fixed", "maxLoss", "collar"]) expect(bare).not.toHaveProperty(name);
    for (const name of ["avellaneda", "mostBase", "leastBase", "defence"])
      expect(bare.rules).not.toHaveProperty(name);
  });

  it("has growing sizes, or a depth within a distance, on request", () => {
    expect(configOf({ growth: 2 }).rules.sizes).toEqual({ model: "growing", size: d("100"), factor: d("2") });
    const depth = configOf({ size: undefined, depth: 1000, withinPercent: 3 });
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
    const { rules, tolerance } = changedQuote(before, { spreadPercent: d("2") });
    expect(rules).toMatchObject({
      halfSpread: d("0.01"),
      gap: d("0.01"),
      mostSkew: d("0.01"),
      mostBase: d("3"),
    });
    expect(tolerance.price).toBe(d("0.0025"));
    expect(changedQuote(before, { spreadPercent: d("2"), tolerancePercent: d("10") }).tolerance.price).toBe(
      d("0.1"),
    );
  });

  it("keeps a requested gap when the spread changes", () => {
    const { rules } = changedQuote(configOf({ gapPercent: 0.4 }), { spreadPercent: d("2") });
    expect([rules.halfSpread, rules.gap]).toEqual([d("0.01"), d("0.004")]);
  });

  it("keeps the growth of sizes, and ends a defence only on request", () => {
    expect(changedQuote(before, { size: d("7") }).rules.sizes).toEqual({
      model: "growing",
      size: d("7"),
      factor: d("2"),
    });
    expect(changedQuote(configOf(), { size: d("7") }).rules.sizes).toEqual({ model: "flat", size: d("7") });
    const deep = configOf({ size: undefined, depth: 1000, withinPercent: 3 });
    expect(changedQuote(deep, { size: d("7") }).rules.sizes).toEqual({ model: "flat", size: d("7") });
    expect(changedQuote(deep, { depth: d("9") }).rules.sizes).toMatchObject({ within: d("0.03") });
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
