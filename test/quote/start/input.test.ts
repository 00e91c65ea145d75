import { describe, expect, it } from "vitest";
import { ONE } from "../../../src/kernel/decimal.ts";
import { createOperations } from "../../../src/operations.ts";
import { quoteConfig, quoteEditConfig } from "../../../src/quote/schema/input.ts";
import { d } from "../../support/grid.ts";
import { startBody } from "../../support/starts.ts";
import { REQUEST } from "../requested.ts";

const HASH = "0123456789abcdef".repeat(2);

/** Every field of a start but `depth` and `withinPercent`, as a client sends it and as it is read. */
const SENT = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  spreadPercent: 1,
  levels: 20,
  size: 100,
  growth: 1.5,
  gapPercent: 0.4,
  volatilityFactor: 2.5,
  target: 0.25,
  skewPercent: 3,
  gamma: 0.1,
  sigma: 2,
  k: 1.5,
  horizon: 3,
  maxBase: 7,
  minBase: 0.5,
  maxLoss: 30,
  defend: "20:60",
  tolerancePercent: 0.2,
  useOwn: false,
  useOthers: false,
  useDex: false,
  fixedPrice: 61000.5,
  maxAge: 5000,
  collarPercent: 20,
  baseBudget: 0.3,
  quoteBudget: 900,
  dryRun: true,
  dryBalance: "USDT=1000,BTC=0.1",
  name: "mine",
};
const READ = {
  ...SENT,
  spreadPercent: d("1"),
  size: d("100"),
  growth: d("1.5"),
  gapPercent: d("0.4"),
  withinPercent: d("2"),
  volatilityFactor: d("2.5"),
  target: d("0.25"),
  skewPercent: d("3"),
  maxBase: d("7"),
  minBase: d("0.5"),
  maxLoss: d("30"),
  defend: { ticks: 20, passes: 60 },
  tolerancePercent: d("0.2"),
  fixedPrice: d("61000.5"),
  collarPercent: d("20"),
  baseBudget: d("0.3"),
  quoteBudget: d("900"),
  dryBalance: { USDT: d("1000"), BTC: d("0.1") },
};

describe("the input of a start of quotes", () => {
  const operation = (name: string) => createOperations(["kraken"]).find((one) => one.name === name);
  const read = (name: string, fields: object) => operation(name)?.input.safeParse(startBody("quote", fields));
  /** The options and the config, as a start reads them. */
  const parsed = (name: string, fields: object) => {
    const { definition, config, ...options } = (read(name, fields)?.data ?? {}) as ReturnType<
      typeof startBody
    >;
    return { ...options, ...quoteConfig().parse(config) };
  };

  it("is read whole, and a start has the hash of its preview too", () => {
    expect(parsed("preview_strategy", SENT)).toEqual(READ);
    expect(parsed("start_strategy", { ...SENT, planHash: HASH })).toEqual({ ...READ, planHash: HASH });
    const deep = { ...SENT, size: undefined, depth: 500, withinPercent: 5 };
    expect(parsed("preview_strategy", deep)).toMatchObject({
      depth: d("500"),
      withinPercent: d("5"),
    });
  });

  it("has defaults for everything but the spread and the size", () => {
    const { exchange, symbol } = REQUEST;
    expect(parsed("preview_strategy", { exchange, symbol, spreadPercent: 1, size: 100 })).toEqual({
      exchange,
      symbol,
      spreadPercent: d("1"),
      size: d("100"),
      levels: 1,
      withinPercent: d("2"),
      growth: ONE,
      volatilityFactor: ONE,
      target: d("0.5"),
      useOwn: true,
      useOthers: true,
      useDex: true,
      maxAge: 120_000,
      collarPercent: d("10"),
    });
  });

  it.each<[string, object]>([
    ["no spread", { spreadPercent: undefined }],
    ["a spread over 100 %", { spreadPercent: 101 }],
    ["no level", { levels: 0 }],
    ["more than 20 levels", { levels: 21 }],
    ["neither size nor depth", { size: undefined }],
    ["size and depth", { depth: 5 }],
    ["growth over 100", { growth: 101 }],
    ["a negative volatility factor", { volatilityFactor: -0.1 }],
    ["a volatility factor over 100", { volatilityFactor: 100.1 }],
    ["a target over 1", { target: 1.1 }],
    ["a part of the model", { sigma: undefined }],
    ["another part of it", { gamma: undefined, k: undefined }],
    ["a negative gamma", { gamma: -1 }],
    ["a gamma over a million", { gamma: 1_000_001 }],
    ["a defence without passes", { defend: "20" }],
    ["a maximum age below a second", { maxAge: 999 }],
    ["a maximum age over a day", { maxAge: 86_400_001 }],
    ["another exchange", { exchange: "mexc" }],
  ])("is refused with %s, for a preview and a start", (_what, over) => {
    for (const name of ["preview_strategy", "start_strategy"])
      expect(read(name, { ...SENT, ...over })?.success).toBe(false);
  });

  it("accepts the values at its bounds", () => {
    for (const over of [
      { spreadPercent: 100, levels: 1, growth: 100, volatilityFactor: 0, target: 0, gamma: 0, maxAge: 1000 },
      { volatilityFactor: 100, target: 1, k: 1_000_000, maxAge: 86_400_000, collarPercent: 0, defend: "off" },
      { gamma: undefined, sigma: undefined, k: undefined },
    ])
      expect(read("preview_strategy", { ...SENT, ...over })?.success, JSON.stringify(over)).toBe(true);
    expect(read("start_strategy", { ...SENT, planHash: "not a hash" })?.success).toBe(false);
  });
});

describe("the input of a change of quotes", () => {
  const { spreadPercent, levels, size, maxBase, minBase, maxLoss, defend, fixedPrice, tolerancePercent } =
    SENT;
  const all = {
    spreadPercent,
    levels,
    size,
    depth: 5,
    maxBase,
    minBase,
    maxLoss,
    defend,
    fixedPrice,
    tolerancePercent,
  };

  it("has its fields as at the start, without defaults", () => {
    expect(quoteEditConfig().parse(all)).toEqual({
      levels: 20,
      spreadPercent: READ.spreadPercent,
      size: READ.size,
      depth: d("5"),
      maxBase: d("7"),
      minBase: d("0.5"),
      maxLoss: d("30"),
      defend: READ.defend,
      tolerancePercent: d("0.2"),
      fixedPrice: d("61000.5"),
    });
    for (const wrong of [{ levels: 21 }, { spreadPercent: 101 }])
      expect(quoteEditConfig().safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
  });
});
