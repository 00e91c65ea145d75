import { expect, it } from "vitest";
import { fillMeasurer, tallyOf } from "../../src/backtest/position/backtest.ts";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import { HORIZONS } from "../../src/model/order.ts";
import { d } from "../support/grid.ts";
import { fill } from "../support/made.ts";

const AT = 1_767_225_600_000;

it("a backtest measures a fill by the pass before it and the first passes that are due", () => {
  const measurer = fillMeasurer();
  const price = (at: number, mid: number) => ({
    at: AT + at,
    bid: d(String(mid - 1)),
    ask: d(String(mid + 1)),
  });
  const bought = { ...fill(), side: "buy" as const, price: d("98"), amount: d("1"), notional: d("98") };
  measurer.addPass([], price(0, 100));
  // Booked by the pass at 5 s, and one more whose last price is too old.
  measurer.addPass([{ ...bought, at: AT + 3 * SECOND }], price(5 * SECOND, 99));
  measurer.addPass([], price(14 * SECOND, 97));
  measurer.addPass([], price(MINUTE + 2 * SECOND, 96));
  measurer.addPass([], price(MINUTE + 4 * SECOND, 95));
  measurer.addPass([{ ...bought, tradeId: "b", at: AT + 2 * MINUTE }], price(2 * MINUTE, 94));
  expect(measurer.fills.map((one) => [one.mid, ...HORIZONS.map(({ name }) => one[name])])).toEqual([
    [d("100"), d("99"), d("97"), d("95"), null, null],
    [null, null, null, null, null, null],
  ]);
  expect(tallyOf(measurer.fills)).toMatchObject({
    fills: 2,
    toxic: 1,
    spread: { known: 1, earned: d("2") * 10n ** 18n },
  });
});
