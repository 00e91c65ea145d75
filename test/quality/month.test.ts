import { expect, it } from "vitest";
import { tallyOf } from "../../src/backtest/position/backtest.ts";
import { backtestingQuotes } from "../../src/backtest/quote-backtest.ts";
import { finish } from "../../src/backtest/run/begin.ts";
import { type Candles, slice } from "../../src/candles/candles.ts";
import { positionAccounts } from "../../src/engine/position/position.ts";
import { divideWhole, ONE } from "../../src/kernel/decimal.ts";
import { DAY, SECOND } from "../../src/kernel/time.ts";
import { earnedAgainst, HORIZONS, impactOn } from "../../src/model/order.ts";
import { attributionOf } from "../../src/quality/answer.ts";
import { d, market } from "../support/grid.ts";
import { january } from "../support/january.ts";
import { quotesOf } from "../support/starts.ts";
import { isWhole } from "../support/whole.ts";

const MARKET = market({
  tick: d("0.01"),
  lot: d("0.0001"),
  minAmount: d("0.0001"),
  minNotional: d("5"),
  maker: d("0.001"),
  taker: d("0.001"),
});
const REQUEST = quotesOf({
  exchange: "kraken",
  symbol: "BTC/USDT",
  spreadPercent: 0.4,
  levels: 3,
  size: 200,
  baseBudget: 0.1,
  quoteBudget: 5000,
  volatilityFactor: 0,
});
const month = january();

it.skipIf(!month)("the P&L of a real month is split by cause, to the last unit", () => {
  const whole = month as Candles;
  // Half of the day of the fall in every run, the month in a whole one.
  const candles = isWhole ? whole : slice(whole, whole.from + 4.4 * DAY, whole.from + 4.9 * DAY);
  const options = { market: MARKET, rules: { tickInterval: 10 * SECOND }, withBand: false };
  const { run, endPrice } = finish(backtestingQuotes(REQUEST, candles, options));
  const to = positionAccounts(run.account.strategy, endPrice);
  const { spread } = tallyOf(run.measured);
  const { inventory, ...parts } = attributionOf({ from: { total: 0n, fees: 0n }, to }, spread.earned);
  expect(run.measured.length).toBeGreaterThan(20);
  expect(run.measured.map(({ tradeId }) => tradeId)).toEqual(run.fills.map(({ tradeId }) => tradeId));
  expect(parts).toMatchObject({ total: to.total, fees: to.fees });

  // The inventory's part again, from the base between two fills; an unknown mid leaves a fill's spread in it.
  let [base, mark, moved] = [
    run.account.strategy.state.first.base,
    run.account.strategy.state.startPrice,
    0n,
  ];
  for (const { side, amount, notional, mid } of run.measured) {
    const sign = side === "buy" ? 1n : -1n;
    moved += base * ((mid ?? mark) - mark) + (mid === null ? sign * (mark * amount - notional * ONE) : 0n);
    mark = mid ?? mark;
    base += sign * amount;
  }
  moved += base * (endPrice - mark);
  const apart = inventory - divideWhole(moved, ONE, "half");
  expect(apart >= -3n && apart <= 3n).toBe(true);

  // Each fill whose mids are known: effective = realized + impact.
  let checked = 0;
  for (const fill of run.measured)
    for (const { name } of HORIZONS) {
      const { mid } = fill;
      const later = fill[name];
      if (mid === null || later === null) continue;
      checked++;
      expect(earnedAgainst(fill, later) + impactOn(fill, { mid, later })).toBe(earnedAgainst(fill, mid));
    }
  expect(checked).toBeGreaterThan(20);
});
