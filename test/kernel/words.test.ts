import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, encode } from "../../src/kernel/codec.ts";
import { decimal, text } from "../../src/kernel/decimal.ts";
import {
  clientOrderId,
  generationNear,
  isOurs,
  manualOrderId,
  parseClientOrderId,
  serialAt,
  strategyTag,
} from "../../src/kernel/ids.ts";
import { isPair, splitPair } from "../../src/kernel/pair.ts";
import { spreadOf } from "../../src/kernel/spread.ts";

describe("a pair", () => {
  it.each(["BTC/USDT", "A/B", "1INCH/USDT"])("accepts %s", (name) => {
    expect(isPair(name)).toBe(true);
  });
  it.each(["BTC-USDT", "btc/usdt", "BTC/", "/USDT", "BTC/USDT/X", "BTC /USDT", "../X/Y", ""])(
    "rejects %j",
    (name) => {
      expect(isPair(name)).toBe(false);
    },
  );
  it("has a base and a quote", () => {
    expect(splitPair("BTC/USDT")).toEqual({ base: "BTC", quote: "USDT" });
  });
});

describe("the spread", () => {
  it("is ask − bid, absolute and in percent of the mid", () => {
    const { mid, spread, spreadPercent } = spreadOf({ bid: decimal("99"), ask: decimal("101") });
    expect([mid, spread, spreadPercent].map(text)).toEqual(["100", "2", "2"]);
  });
});

describe("client order ids", () => {
  const key = fc.record({
    tag: fc.integer({ min: 36 ** 5, max: 36 ** 6 - 1 }),
    generation: fc.integer({ min: 0, max: 255 }),
    slot: fc.integer({ min: 0, max: 1023 }),
    serial: fc.integer({ min: 0, max: Math.floor(36 ** 10 / 2 ** 18) - 1 }),
  });

  it("have 18 characters, suit every exchange, and identify the order's owner", () => {
    fc.assert(
      fc.property(key, (parts) => {
        const id = clientOrderId(parts);
        expect(id).toMatch(/^em[0-9a-z]{16}$/);
        expect(parseClientOrderId(id)).toEqual(parts);
      }),
    );
  });

  it("throw for a slot or a serial that does not fit", () => {
    const most = { tag: 36 ** 5, generation: 255, slot: 1023, serial: Math.floor(36 ** 10 / 2 ** 18) - 1 };
    expect(clientOrderId(most)).toMatch(/^em100000[0-9a-z]{10}$/);
    expect(() => clientOrderId({ ...most, serial: most.serial + 1 })).toThrow(/no client order id is left/);
    expect(() => clientOrderId({ ...most, slot: 1024 })).toThrow(/no client order id is left/);
  });

  it("store the last 8 bits of a generation and resolve to the nearest match", () => {
    const id = clientOrderId({ tag: 36 ** 5, generation: 300, slot: 0, serial: 0 });
    const bits = parseClientOrderId(id)?.generation ?? -1;
    expect(bits).toBe(44);
    expect([44, 290, 300, 427, 429].map((near) => generationNear(bits, near))).toEqual([
      44, 300, 300, 300, 556,
    ]);
    expect(generationNear(250, 1)).toBe(250);
  });

  it("increase with the clock, 20 serials a second from 2026 on", () => {
    const start = Date.UTC(2026, 0, 1);
    expect([0, start - 1, start, start + 49, start + 50, start + 1000].map(serialAt)).toEqual([
      0, 0, 0, 0, 1, 20,
    ]);
  });

  it("share a tag for two strategies only when their starts are a multiple of 24.5 days apart", () => {
    const number = Date.UTC(2026, 10, 24);
    const period = 36 ** 6 - 36 ** 5;
    expect(strategyTag(number + 1)).toBe(strategyTag(number) + 1);
    expect(strategyTag(number + period)).toBe(strategyTag(number));
    expect(strategyTag(0)).toBe(36 ** 5);
  });

  it("of manual orders never match a grid's", () => {
    const id = manualOrderId("abcdefghijklmnop");
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

  it("distinguishes decimals from text that looks like one", () => {
    fc.assert(
      fc.property(value, (whole) => {
        expect(decode(encode(whole))).toEqual(whole);
      }),
    );
  });
});
