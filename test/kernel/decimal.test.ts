import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decimal,
  div,
  divideWhole,
  fromNumber,
  mul,
  mulDiv,
  ONE,
  parseDecimal,
  roundMoney,
  roundToStep,
  text,
  wire,
} from "../../src/kernel/decimal.ts";

const any = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
const positive = fc.bigInt({ min: 1n, max: 10n ** 40n });

describe("decimal text", () => {
  it.each([
    ["0", 0n],
    ["1", ONE],
    ["-1.5", -15n * 10n ** 17n],
    ["0.000000000000000001", 1n],
    ["60000.01", 6_000_001n * 10n ** 16n],
  ])("reads and writes %s", (plain, units) => {
    expect(decimal(plain)).toBe(units);
    expect(text(units)).toBe(plain);
  });

  it.each(["", "-", ".5", "5.", "1e3", "0x10", "1,5", " 1", "1.0000000000000000001", "NaN", "Infinity"])(
    "rejects %j",
    (bad) => {
      expect(parseDecimal(bad)).toBeUndefined();
    },
  );

  it("survives a round trip for any amount", () => {
    fc.assert(
      fc.property(any, (units) => decimal(text(units)) === units && parseDecimal(text(units)) === units),
    );
  });
});

describe("fromNumber", () => {
  it.each([
    [0.1, "0.1"],
    [1e21, "1000000000000000000000"],
    [1.5e-7, "0.00000015"],
    [123456.789, "123456.789"],
    [1e-18, "0.000000000000000001"],
  ])("converts %d from its shortest text", (value, plain) => {
    expect(text(fromNumber(value) ?? -1n)).toBe(plain);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e-19, 1.5e-18])("rejects %d", (value) => {
    expect(fromNumber(value)).toBeUndefined();
  });

  it("is reversed by wire for every number that it accepts", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: 1e-9, max: 1e15 }), (value) => {
        const exact = fromNumber(value);
        return exact === undefined || wire(exact) === value;
      }),
    );
  });
});

describe("rounding", () => {
  it.each([
    [7n, 2n, 3n, 4n, 4n],
    [-7n, 2n, -4n, -3n, -3n],
    [1n, 3n, 0n, 1n, 0n],
    [-1n, 3n, -1n, 0n, 0n],
    [6n, 3n, 2n, 2n, 2n],
  ])("divides %d by %d", (numerator, denominator, down, up, half) => {
    expect(divideWhole(numerator, denominator, "down")).toBe(down);
    expect(divideWhole(numerator, denominator, "up")).toBe(up);
    expect(divideWhole(numerator, denominator, "half")).toBe(half);
  });

  it("brackets the exact quotient", () => {
    fc.assert(
      fc.property(any, positive, (a, b) => {
        const down = divideWhole(a, b, "down");
        const up = divideWhole(a, b, "up");
        const half = divideWhole(a, b, "half");
        expect(down * b <= a && a <= up * b).toBe(true);
        expect(up - down).toBe(a % b === 0n ? 0n : 1n);
        expect(2n * (half * b - a) <= b && 2n * (a - half * b) < b + 1n).toBe(true);
      }),
    );
  });

  it("never exceeds the product, and never falls below it when rounding up", () => {
    fc.assert(
      fc.property(any, any, (a, b) => {
        expect(mul(a, b, "down") * ONE <= a * b && a * b <= mul(a, b, "up") * ONE).toBe(true);
      }),
    );
  });

  it("divides by a negative number as by its opposite", () => {
    expect(div(ONE, -2n * ONE, "down")).toBe(-ONE / 2n);
  });

  it("rounds once when multiplying two factors", () => {
    expect(mulDiv(10n, { times: 1n, over: 3n }, "half")).toBe(3n);
  });

  it("rounds money to cents, and less than a cent to two digits", () => {
    const rounded = (value: string) => text(roundMoney(decimal(value)));
    expect(
      ["-4.585689748776538527", "19.4032196", "0.005", "0.000123456", "-0.00999", "0"].map(rounded),
    ).toEqual(["-4.59", "19.4", "0.005", "0.00012", "-0.01", "0"]);
  });

  it("snaps to a step from either side", () => {
    fc.assert(
      fc.property(any, positive, (value, step) => {
        expect(roundToStep(value, step, "down") % step).toBe(0n);
        expect(roundToStep(value, step, "down") <= value && value <= roundToStep(value, step, "up")).toBe(
          true,
        );
      }),
    );
  });
});

describe("accidental serialization", () => {
  it("throws in JSON.stringify", () => {
    expect(() => JSON.stringify({ price: ONE })).toThrow(TypeError);
  });
});
