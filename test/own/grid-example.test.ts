import { expect, it } from "vitest";
import grid from "../../examples/grid.ts";
import { backtestingDeclared } from "../../src/backtest/position/declared.ts";
import { finish } from "../../src/backtest/run/begin.ts";
import { slice } from "../../src/candles/candles.ts";
import { text } from "../../src/kernel/decimal.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import type { Fill } from "../../src/model/order.ts";
import { prepared, walked } from "../backtest/cases.ts";
import { requested } from "../backtest/stepped.ts";
import { d } from "../support/grid.ts";
import { january } from "../support/january.ts";
import { isWhole } from "../support/whole.ts";

const month = january();
/** All of it where tests run whole; else a few days with a fall of 7 %. */
const part = month && (isWhole ? month : slice(month, month.from + 4.4 * DAY, month.from + 5.4 * DAY));

const lines = (fills: readonly Fill[]): string[] =>
  fills.map(({ at, side, price, amount }) => `${at} ${side} ${text(amount)} at ${text(price)}`);

it.skipIf(!part)("the example strategy fills the same orders as the built-in grid on real prices", () => {
  if (!part) return;
  const levels = { lowerPrice: 36_000, upperPrice: 48_000, gridLevels: 40, orderSize: 300 };
  const run = prepared(
    { name: "month", grid: requested("grid", levels), rules: { tickInterval: MINUTE } },
    part,
  );
  const builtIn = lines(walked(run).fills);
  const own = finish(
    backtestingDeclared(
      grid,
      {
        options: { lower: 36_000, upper: 48_000, levels: 40, size: 300 },
        baseBudget: 0n,
        quoteBudget: d("20000"),
      },
      part,
      { market: run.market, rules: { tickInterval: MINUTE }, withBand: false },
    ),
  );
  expect(own.run.account.strategy.lastError).toBeNull();
  expect(lines(own.run.fills)).toEqual(builtIn);
  expect(builtIn.length).toBeGreaterThan(isWhole ? 500 : 20);
});
