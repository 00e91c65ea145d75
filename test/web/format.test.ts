import { describe, expect, it } from "vitest";
import { amount, change, inPercent, money, number, percent } from "../../src/web/format.ts";

describe("figures on the page", () => {
  it.each([
    ["a number", number(-1234.5, 2), "−1,234.50"],
    ["an amount", amount("-0.001"), "−0.001"],
    ["money", money(-3), "−3.00"],
    ["a change", change(-3), "−3.00"],
    ["a percentage", inPercent(-0.25, 3), "−0.250\u00a0%"],
    ["a share", percent(-0.057, 1), "−5.7\u00a0%"],
    ["nothing", number(-0, 2), "0.00"],
  ])(
    "%s has a minus sign, not a hyphen, and stays together with its percent sign",
    (_what, text, expected) => {
      expect(text).toBe(expected);
    },
  );
});
