import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LABEL, placeLabels } from "../../../src/web/chart/labels.ts";

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
