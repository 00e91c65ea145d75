import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import twoSided from "../../examples/two-sided.ts";
import { pastShape } from "../../src/backtest/schema/input.ts";
import { decimal, ONE, ofPercent, wire } from "../../src/kernel/decimal.ts";
import { parseTerms } from "../../src/liquidity/market-text.ts";
import { liquidityInput } from "../../src/liquidity/schema.ts";
import { createOperations } from "../../src/operations.ts";
import { quoteConfig, quoteEditConfig } from "../../src/quote/schema/input.ts";
import { changedQuote, quoteConfigOf, quoteRequestOut } from "../../src/quote/start/planned-quote.ts";
import { type Schema, schemaOf } from "../../src/transport/openapi-schema.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { quoteSettings } from "../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const BUDGET = { base: ONE, quote: ONE };
const configOf = (spreadPercent: number) =>
  quoteConfigOf(quoteSettings({ ...MARKET, spreadPercent, size: 100 }), BUDGET);

describe("a spread", () => {
  it("is the same in quotes, their changes, obligations, reports, backtests and answers", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (hundredths) => {
        const percent = hundredths / 100;
        const half = decimal(String(percent)) / 200n;
        const config = configOf(percent);
        const change = quoteEditConfig().parse({ spreadPercent: percent });
        const report = liquidityInput(["kraken"]).parse({ ...MARKET, spreadPercent: percent });
        const past = z.object(pastShape()).parse({ marketSpreadPercent: percent });
        const spreads = [
          2n * config.rules.halfSpread,
          2n * changedQuote(configOf(1), change).rules.halfSpread,
          parseTerms([`spread=${percent}`])?.spread,
          parseTerms([`spread=${percent}%`])?.spread,
          ofPercent(report.spreadPercent ?? 0n),
          ofPercent(past.marketSpreadPercent),
        ];
        expect(new Set(spreads)).toEqual(new Set([2n * half]));
        expect(quoteRequestOut(config).spreadPercent).toBe(percent);
      }),
    );
  });

  it("is in percent in every input with a spread or a distance, and its name says so", () => {
    const fieldsOf = (name: string, input: z.ZodObject) =>
      Object.entries(schemaOf(input, "input", name).properties ?? {}).map(
        ([field, schema]) => [`${name}.${field}`, schema] as [string, Schema],
      );
    const inputs = createOperations(EXCHANGES, [twoSided]).flatMap(({ name, input, forms = [] }) => [
      ...fieldsOf(name, input),
      ...forms.flatMap(({ word, config }) => fieldsOf(`${name}.${word}`, config())),
    ]);
    const isDistance = /\.(\w*spread|gap|within|skew|collar|tolerance|slippage)\w*$/i;
    const distances = inputs.filter(([name]) => isDistance.test(name));
    expect(distances.length).toBeGreaterThan(20);
    // The limit `collarPercent` has a text form, and its description the unit.
    for (const [name, { description = "" }] of distances)
      expect([name, description]).toEqual([
        expect.stringMatching(/Percent$/),
        expect.stringMatching(/percent/),
      ]);
    const shares = inputs.filter(([, { description = "" }]) =>
      /spread.*share|share of the price/i.test(description),
    );
    expect(shares.map(([name]) => name)).toEqual([]);
  });

  it("is refused under its name without a unit", () => {
    const { error } = quoteConfig().strict().safeParse({ spread: 0.02, size: 100 });
    expect(error?.issues.map(({ path, code }) => [code, ...path])).toEqual([
      ["invalid_type", "spreadPercent"],
      ["unrecognized_keys"],
    ]);
    expect(parseTerms(["depth=5%"])).toBeUndefined();
    expect(parseTerms(["levels=5%"])).toBeUndefined();
  });

  it("has the stored meaning of a share", () => {
    const { rules, tolerance, collar } = configOf(2);
    expect(
      [rules.halfSpread, rules.gap, rules.strength, tolerance.price, collar].map((one) => wire(one ?? 0n)),
    ).toEqual([0.01, 0.01, 0.02, 0.0025, 0.1]);
  });
});
