import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chartScale, LABEL, labelAt, placeLabels } from "../../../src/web/chart/labels.ts";

describe("placeLabels", () => {
  it("places no chart label over another, and leaves an isolated label in place", () => {
    const label = fc.record({ y: fc.integer({ min: 0, max: 60 }), width: fc.integer({ min: 20, max: 120 }) });
    fc.assert(
      fc.property(fc.array(label, { maxLength: 8 }), (labels) => {
        const from = placeLabels(labels);
        labels.forEach((one, a) => {
          const isAlone = labels.every((other, b) => a === b || Math.abs(other.y - one.y) >= LABEL.height);
          if (isAlone) expect(from[a]).toBe(LABEL.gap);
          labels.slice(a + 1).forEach((other, offset) => {
            const [left, right] = [from[a] ?? 0, from[a + 1 + offset] ?? 0];
            const isApart =
              Math.abs(one.y - other.y) >= LABEL.height ||
              left + one.width < right ||
              right + other.width < left;
            expect(isApart, JSON.stringify({ labels, from })).toBe(true);
          });
        });
      }),
    );
  });
});

describe("chartScale", () => {
  const candles = [{ low: 59, high: 61 }];
  const range = [{ price: 58 }, { price: 62 }];

  it("shows candles and range as large whatever lines are far away", () => {
    const far = [
      { price: 52, name: "stop loss" },
      { price: 90, name: "take profit" },
    ];
    expect(chartScale([...range, ...far], candles)).toEqual({ minValue: 58, maxValue: 62 });
    expect(chartScale(far, candles)).toBeUndefined();
  });

  it("shows a line that is near them", () => {
    const near = { price: 57.5, name: "stop loss" };
    expect(chartScale([...range, near], candles)).toEqual({ minValue: 57.5, maxValue: 62 });
  });
});

describe("labelAt", () => {
  it("stands on its line, and at the edge with the price if the line is beyond it", () => {
    const at = (y: number) => labelAt({ name: "stop loss", y }, 400, "52,000");
    expect(at(300)).toEqual({ text: "stop loss", y: 300 });
    expect(at(900)).toEqual({ text: "stop loss 52,000 ↓", y: 392 });
    expect(at(-5)).toEqual({ text: "stop loss 52,000 ↑", y: 8 });
  });
});
