import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, encode } from "../../src/kernel/codec.ts";
import { decimal, text } from "../../src/kernel/decimal.ts";
import { clientOrderId, handOrderId, isOurs, parseClientOrderId } from "../../src/kernel/ids.ts";
import { isPair, splitPair } from "../../src/kernel/pair.ts";
import { spreadOf } from "../../src/kernel/spread.ts";

describe("a pair", () => {
  it.each(["BTC/USDT", "A/B", "1INCH/USDT"])("is %s", (name) => {
    expect(isPair(name)).toBe(true);
  });
  it.each(["BTC-USDT", "btc/usdt", "BTC/", "/USDT", "BTC/USDT/X", "BTC /USDT", "../X/Y", ""])(
    "is not %j",
    (name) => {
      expect(isPair(name)).toBe(false);
    },
  );
  it("has a base and a quote", () => {
    expect(splitPair("BTC/USDT")).toEqual({ base: "BTC", quote: "USDT" });
  });
});

describe("the spread", () => {
  it("is ask − bid, and in percent of the mid", () => {
    const { mid, spread, spreadPercent } = spreadOf({ bid: decimal("99"), ask: decimal("101") });
    expect([mid, spread, spreadPercent].map(text)).toEqual(["100", "2", "2"]);
  });
});

describe("ids", () => {
  const key = fc.record({
    strategy: fc.integer({ min: 36 ** 7, max: 36 ** 8 - 1 }),
    generation: fc.integer({ min: 0, max: 8191 }),
    slot: fc.integer({ min: 0, max: 1023 }),
    sequence: fc.integer({ min: 0, max: 262_143 }),
  });

  it("are 18 characters that every venue takes, and tell whose order it is", () => {
    fc.assert(
      fc.property(key, (parts) => {
        const id = clientOrderId(parts);
        expect(id).toMatch(/^em[0-9a-z]{16}$/);
        expect(parseClientOrderId(id)).toEqual(parts);
      }),
    );
  });

  it("end with a sentence when a grid has used them up", () => {
    expect(() => clientOrderId({ strategy: 1, generation: 8192, slot: 0, sequence: 0 })).toThrow(
      /start a new one/,
    );
  });

  it("of orders by hand are never a grid's", () => {
    const id = handOrderId("abcdefghijklmnop");
    expect(isOurs(id)).toBe(true);
    expect(parseClientOrderId(id)).toBeUndefined();
  });
});

describe("stored JSON", () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      fc.string(),
      fc.string().map((rest) => `=${rest}`),
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(
        fc.string({ minLength: 1 }).filter((name) => name !== "__proto__"),
        tie("any"),
        { maxKeys: 4, noNullPrototype: true },
      ),
    ),
  })).any;

  it("keeps decimals, and text that looks like one, apart", () => {
    fc.assert(
      fc.property(value, (whole) => {
        expect(decode(encode(whole))).toEqual(whole);
      }),
    );
  });
});
