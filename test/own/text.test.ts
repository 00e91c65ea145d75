import { describe, expect, it } from "vitest";
import { ownLines, ownPlanLines } from "../../src/own/schema/view.ts";

describe("the text of a plan", () => {
  const linesOfPlan = (config: object) => ownPlanLines({ details: { kind: "strategy", config } } as never);

  it("has its config", () => {
    expect(linesOfPlan({ spread: 0.002, sizes: [1, 2] })).toEqual({ config: "spread 0.002, sizes [1,2]" });
    expect(linesOfPlan({})).toEqual({ config: "none" });
  });
});

const ORDERS = [
  { id: "bid", side: "buy", price: "99.9", amount: "1.001" },
  { id: "ask", side: "sell", price: "100.1", amount: "0.999" },
];
const QUIET = { config: {}, budget: { base: "0.1", quote: "1000" }, state: null, notes: {} };
const linesOf = (over: object = {}, orders: readonly object[] = []) =>
  ownLines({ symbol: "BTC/USDT", orders: orders as never, waiting: [], details: { ...QUIET, ...over } });

describe("the text of a status", () => {
  it("leaves out what there is nothing of", () => {
    expect(linesOf()).toEqual({
      config: "none",
      placed: "no open orders",
      budget: "0.1 BTC and 1000 USDT",
    });
  });

  it("has everything that is known of a strategy", () => {
    const all = {
      config: { spread: 0.002, sizes: [1, 2] },
      state: { round: 1 },
      notes: { trend: "up", spread: 0.4 },
    };
    expect(linesOf(all, ORDERS)).toEqual({
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
