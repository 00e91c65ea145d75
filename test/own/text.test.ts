import { describe, expect, it } from "vitest";
import { ownLines, ownStrategyPlanText, plannedOwnStrategyView } from "../../src/own/schema/view.ts";

const PLAN = {
  strategy: "two-sided",
  exchange: "kraken",
  symbol: "BTC/USDT",
  config: { spread: 0.002, sizes: [1, 2] },
  budget: { base: "0.1", quote: "1000" },
  orders: [
    { id: "bid", side: "buy", price: 99.9, amount: 1.001 },
    { id: "ask", side: "sell", price: 100.1, amount: 0.999 },
  ],
  refused: [
    { id: "low", reason: "below_minimum", detail: "low is below the exchange's minimum" },
    { id: "far", reason: "no_quote" },
  ],
  worstCase: "all is lost",
  warnings: [
    { code: "no_book", message: "one side" },
    { code: "killed", message: "the switch is on" },
  ],
  planHash: "abc-100",
};

describe("the text of a plan", () => {
  it("has its orders, what is not placed, its budget and its warnings", () => {
    expect(ownStrategyPlanText(PLAN)).toEqual({
      strategy: "two-sided",
      market: "BTC/USDT on kraken",
      config: "spread 0.002, sizes [1,2]",
      orders: "bid: buy 1.001 at 99.9; ask: sell 0.999 at 100.1",
      "not placed": "low: low is below the exchange's minimum; far: there is not enough free quote",
      budget: "0.1 BTC and 1000 USDT",
      "worst case": "all is lost",
      warnings: "one side. the switch is on",
    });
  });

  it("leaves out what it has nothing of", () => {
    const bare = { ...PLAN, config: {}, orders: [], refused: [], warnings: [] };
    expect(ownStrategyPlanText(bare)).toEqual({
      strategy: "two-sided",
      market: "BTC/USDT on kraken",
      config: "none",
      orders: "no open orders",
      budget: "0.1 BTC and 1000 USDT",
      "worst case": "all is lost",
    });
  });

  it("ends with the flag that starts exactly this plan", () => {
    expect(plannedOwnStrategyView(PLAN)).toEqual({
      ...ownStrategyPlanText(PLAN),
      "to start": "--plan-hash abc-100 starts exactly this plan",
    });
  });
});

const QUIET = { config: {}, budget: PLAN.budget, state: null, notes: {} };
const linesOf = (over: object = {}, orders: readonly object[] = []) =>
  ownLines({ symbol: "BTC/USDT", orders: orders as never, details: { ...QUIET, ...over } });

describe("the text of a status", () => {
  it("leaves out what there is nothing of", () => {
    expect(linesOf()).toEqual({
      config: "none",
      placed: "no open orders",
      budget: "0.1 BTC and 1000 USDT",
    });
  });

  it("has everything that is known of a strategy", () => {
    const all = { config: PLAN.config, state: { round: 1 }, notes: { trend: "up", spread: 0.4 } };
    expect(linesOf(all, PLAN.orders)).toEqual({
      config: "spread 0.002, sizes [1,2]",
      placed: "bid: buy 1.001 at 99.9; ask: sell 0.999 at 100.1",
      state: '{"round":1}',
      notes: "trend up, spread 0.4",
      budget: "0.1 BTC and 1000 USDT",
    });
  });

  it("shows the first 200 characters of a state", () => {
    // With its quotes, the text has two characters more.
    expect(linesOf({ state: "x".repeat(198) }).state).toBe(`"${"x".repeat(198)}"`);
    expect(linesOf({ state: "x".repeat(199) }).state).toBe(`"${"x".repeat(199)}…`);
  });
});
