import { expect, it } from "vitest";
import { CANDLE_PAGE, holesOf, partsWithout, windowsOf, withRange } from "../../src/candles/windows.ts";

const SPAN = 60;
const range = { from: 600, until: 1200 };
const gap = (from: number, until: number) => ({ from, until, bars: (until - from) / SPAN });

it("requests gaps again within the range only, and not twice", () => {
  expect(holesOf([gap(300, 720), gap(1140, 1500)], [], range, SPAN)).toEqual([{ from: 600, until: 1200 }]);
  expect(holesOf([gap(300, 540), gap(1200, 1500)], [], range, SPAN)).toEqual([]);
  expect(holesOf([gap(300, 720)], [{ from: 0, until: 660 }], range, SPAN)).toEqual([
    { from: 660, until: 720 },
  ]);
});

it("requests gaps that are far apart, and long ones, in pages", () => {
  const far = { from: 0, until: 3 * CANDLE_PAGE * SPAN };
  const page = CANDLE_PAGE * SPAN;
  expect(holesOf([gap(0, SPAN), gap(page, page + SPAN)], [], far, SPAN)).toEqual([
    { from: 0, until: SPAN },
    { from: page, until: page + SPAN },
  ]);
  expect(holesOf([gap(0, page + SPAN)], [], far, SPAN)).toEqual([
    { from: 0, until: page },
    { from: page, until: page + SPAN },
  ]);
});

it("requests what is missing of a range, oldest first", () => {
  const ranges = withRange(withRange([], { from: 720, until: 780 }), { from: 960, until: 1500 });
  expect(windowsOf(ranges, range, SPAN)).toEqual([
    { from: 600, until: 720 },
    { from: 780, until: 960 },
  ]);
  expect(partsWithout([{ from: 0, until: 2000 }], range)).toEqual([]);
  expect(withRange(ranges, { from: 780, until: 960 })).toEqual([{ from: 720, until: 1500 }]);
});
