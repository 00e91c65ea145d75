import { describe, expect, it } from "vitest";
import {
  backtestStrategy,
  minuteCandles,
  type StrategyPast,
  type TestMarketRules,
} from "../../../src/backtest/position/testing.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { d } from "../../support/grid.ts";
import { ownStrategy } from "../own-strategy.ts";

const START = Date.UTC(2026, 0, 1);

/** It buys an amount at 99 once, and sells it at 102. */
const strategy = (over: object = {}) =>
  ownStrategy(over, ({ amount }) => [{ id: "ask", side: "sell", price: "102", size: amount }]);
const PAST: StrategyPast = { config: { amount: 1 }, prices: [100, 98, 103, 101], quote: 1000 };

function tested(over: Partial<StrategyPast> = {}, of = strategy()) {
  const { fills, base, quote, total, error } = backtestStrategy(of.definition, { ...PAST, ...over });
  return {
    fills: fills.map(({ at, side, price, amount }) => `${at - START} ${side} ${amount} at ${price}`),
    money: [base, quote, total].map(String),
    error,
  };
}

describe("a backtest of a strategy in its tests", () => {
  it("goes straight from price to price, and pays the usual fees", () => {
    // From 100 at 20 s to 98 at 40 s, the price is below 98.995 after 100.5 of 200 ticks. The pass at 35 s places the
    // sell: from 98 at 80 s to 103 at 100 s, the price rounds to 102.01 after 400.5 of 500. Fees are 0.099 and 0.102.
    expect(tested()).toEqual({
      fills: ["30051 buy 1 at 99", "96020 sell 1 at 102"],
      money: ["0", "1002.799", "2.799"],
      error: null,
    });
    // With base of its own, which is worth 101 at the end, it only sells: 1 for 101.898.
    expect(tested({ base: 2, quote: 0 })).toEqual({
      fills: ["96020 sell 1 at 102"],
      money: ["1", "101.898", "2.898"],
      error: null,
    });
  });

  it("has the rules of its market", () => {
    const on = (market: TestMarketRules, amount = 1) => tested({ market, config: { amount } });
    expect(on({ maker: 0, taker: 0 }).money).toEqual(["0", "1003", "3"]);
    expect(on({ minAmount: 2 }).fills).toEqual([]);
    expect(on({ minNotional: 99.01 }).fills).toEqual([]);
    expect(on({ lot: "0.4" }).fills[0]).toMatch(/ buy 0.8 at 99$/);
    // The pass at 35 s reads 99, which is 98.5 rounded, and the one at 40 s reads 98: half of that way takes 2.5 s.
    expect(on({ tick: 1 }).fills[0]).toBe("37501 buy 1 at 99");
    // By default an order needs 5 quote, and a hundred-thousandth of base.
    expect([on({}, 0.05).fills, on({}, 0.051).fills.length]).toEqual([[], 2]);
    expect(on({ minNotional: 0 }, 0.00002).fills.length).toBe(2);
    expect(on({ minNotional: 0 }, 0.000009).fills).toEqual([]);
    expect(on({ symbol: "ETH/EUR" }).fills.length).toBe(2);
    expect(() => on({ symbol: "ETHEUR" })).toThrow("ETHEUR is not a pair: use BASE/QUOTE, such as BTC/USDT");
  });

  it("makes a pass every five seconds, or at its own interval", () => {
    // The pass at 60 s comes after the fill, and that at 120 s after the price has left 103.
    expect(tested({ tickInterval: MINUTE }).fills).toEqual(["30051 buy 1 at 99", "96020 sell 1 at 102"]);
    expect(tested({ tickInterval: 2 * MINUTE }).fills).toEqual(["30051 buy 1 at 99"]);
  });

  it("reads a reference price if there is one", () => {
    const [none, some] = [strategy(), strategy()];
    tested({ tickInterval: MINUTE }, none);
    tested({ tickInterval: MINUTE, reference: [200, 201, 202, 203] }, some);
    expect(new Set(none.references)).toEqual(new Set([null]));
    // The close of a minute is the next one's price.
    expect([...new Set(some.references)]).toEqual([null, "201", "202", "203"]);
  });

  it("reports why the strategy failed, and rejects settings that are not valid", () => {
    let calls = 0;
    const moody = strategy({
      orders: () => (++calls % 2 === 0 ? [] : [{ id: "a", side: "buy", price: 1, size: 9 }]),
    });
    // Each call is made twice, and has to give the same.
    expect(tested({}, moody).error).toBe(
      "two calls with the same input returned different orders: keep what changes in its state",
    );
    expect(() => tested({ config: { amount: "much" } })).toThrow("expected number, received string");
  });
});

it("prices of a test are candles of a minute each, also from a file", () => {
  const candles = minuteCandles([100.004, "98.5"], { symbol: "BTC/USDT", tick: d("0.01") });
  expect([...candles.times]).toEqual([START, START + MINUTE]);
  expect(
    [candles.open, candles.high, candles.low, candles.close].map((of) =>
      [...of].map((price) => price / 10 ** candles.scale),
    ),
  ).toEqual([
    [100, 98.5],
    [100, 98.5],
    [98.5, 98.5],
    [98.5, 98.5],
  ]);
  const file = `${START},1,2,0.5,1.5,7\n${START + MINUTE},1.5,1.5,1.5,1.5,7\n`;
  const read = minuteCandles(file, { symbol: "BTC/USDT", tick: d("0.01") });
  expect([read.pair, read.spanMillis, read.times.length, read.low[0]]).toEqual(["BTC/USDT", MINUTE, 2, 5]);
});
