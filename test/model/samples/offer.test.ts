import { describe, expect, it } from "vitest";
import { MINUTE } from "../../../src/kernel/time.ts";
import {
  EMPTY_OFFER,
  formatOffer,
  joinOffers,
  type OfferPart,
  parseOffer,
  twoSidedMillis,
} from "../../../src/model/samples/sample.ts";
import { d } from "../../support/grid.ts";

const part = (spread: string, levels: number, millis: number): OfferPart => ({
  spread: d(spread),
  levels,
  millis,
});
const offer = (uncertain: number, ...parts: OfferPart[]) => ({ parts, uncertain });

describe("the offer of a minute", () => {
  it.each([
    ["", EMPTY_OFFER],
    ["0.004:2:45000", offer(0, part("0.004", 2, 45_000))],
    ["0.004:2:45000;0.008:1:9000;?:500", offer(500, part("0.004", 2, 45_000), part("0.008", 1, 9000))],
    ["?:60000", offer(60_000)],
  ])("is stored as %j and read again", (stored, value) => {
    expect(formatOffer(value)).toBe(stored);
    expect(parseOffer(stored)).toEqual(value);
  });

  it("adds up parts of the same spread and number, with spreads rounded up", () => {
    const sum = joinOffers(
      offer(100, part("0.0040001", 2, 1000), part("0.008", 2, 9000)),
      offer(50, part("0.0040009", 2, 500), part("0.004001", 1, 300)),
    );
    expect(formatOffer(sum)).toBe("0.008:2:9000;0.004001:2:1500;0.004001:1:300;?:150");
  });

  it("joins the shortest of many parts to the wider spread and the fewer orders", () => {
    const parts = Array.from({ length: 9 }, (_, index) => part(`0.00${index + 1}`, 9 - index, 9000 - index));
    const { parts: joined } = joinOffers(EMPTY_OFFER, offer(0, ...parts));
    expect(joined).toHaveLength(6);
    expect(joined.reduce((sum, { millis }) => sum + millis, 0)).toBe(9 * 9000 - 36);
    expect(joined).toContainEqual(part("0.009", 1, 8992 + 8993 + 8994 + 8995));
  });

  it("lasts as long as its parts; without one, the sample counts for the minute", () => {
    const known = offer(1000, part("0.01", 1, 300), part("0.02", 1, 200));
    expect(twoSidedMillis({ offer: known, ownSpread: null })).toBe(500);
    expect(twoSidedMillis({ offer: null, ownSpread: d("0.01") })).toBe(MINUTE);
    expect(twoSidedMillis({ offer: null, ownSpread: null })).toBe(0);
  });
});
