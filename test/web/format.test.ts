import { describe, expect, it } from "vitest";
import {
  amount,
  change,
  dailyFigures,
  digitsOf,
  inPercent,
  money,
  number,
  percent,
  yearlyPercent,
} from "../../src/web/format.ts";

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

describe("a price", () => {
  it("has the decimals of the prices beside it, and without any as many as it needs", () => {
    expect(number(0.0000123, digitsOf([0.000_012_34, 0.00002]))).toBe("0.00001230");
    expect(number(0.0000123, digitsOf([]))).toBe("0.0000123");
    expect(number(61_234.5, digitsOf([null]))).toBe("61,234.5");
  });
});

const DAY = 86_400_000;
const of = (...profits: readonly number[]) =>
  dailyFigures(profits.map((profit, at) => ({ day: `2026-01-0${at + 1}`, totalProfit: String(profit) })));

describe("P&L by day", () => {
  it("adds up the days", () => {
    expect(of(3, -5, 4).days.map(({ sum }) => sum)).toEqual([3, -2, 2]);
  });

  it.each([
    [[3, -5, 4, -1], 5],
    [[-2, 1], 2],
    [[1, 2], 0],
    [[], 0],
  ])("has the max drawdown of %j", (profits, drawdown) => {
    expect(of(...profits).drawdown).toBe(drawdown);
  });

  it("is a yearly rate from a day on", () => {
    expect(yearlyPercent(10, 1000, 36.5 * DAY)).toBeCloseTo(10);
    expect(yearlyPercent(10, 1000, 6.9 * DAY)).toBeUndefined();
    expect(yearlyPercent(10, 0, 8 * DAY)).toBeUndefined();
    expect(yearlyPercent(null, 1000, 8 * DAY)).toBeUndefined();
  });
});

it("shows no change without a sign", () => {
  expect(change(0)).toBe("0.00");
});
