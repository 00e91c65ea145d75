import { describe, expect, it } from "vitest";
import {
  ownStrategyPlanText,
  ownStrategyStatusView,
  plannedOwnStrategyView,
} from "../../src/own/schema/view.ts";

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

const QUIET = {
  id: "two-sided-1",
  name: null,
  strategy: "two-sided",
  exchange: "kraken",
  symbol: "BTC/USDT",
  dryRun: false,
  status: "running",
  phase: "active",
  lastError: null,
  totalProfit: null,
  profit: 2.5,
  filledOrders: 3,
  config: {},
  orders: [],
  state: null,
  notes: {},
  position: "0.1",
  averageCost: null,
  refused: [],
  notices: [],
  lastStepAt: 7,
  stream: null,
};
const shown = (over: object = {}) => ownStrategyStatusView({ strategies: [{ ...QUIET, ...over }], count: 1 });

describe("the text of a status", () => {
  it("names the command that starts a strategy if none runs", () => {
    expect(ownStrategyStatusView({ strategies: [], count: 0 })).toEqual({
      note: "none of your own strategies runs; `edgemaker strategy start` starts one",
      count: 0,
    });
  });

  it("leaves out what there is nothing of", () => {
    const [{ status: _, ...rest }] = (
      shown({ status: "running", phase: "running" }) as unknown as { strategies: [Record<string, unknown>] }
    ).strategies;
    expect(rest).toEqual({
      strategy: "two-sided-1",
      market: "BTC/USDT on kraken",
      total: "not known until a price is, 2.5 realized; 3 filled",
      config: "none",
      orders: "no open orders",
      holds: "0.1 BTC",
      lastStepAt: 7,
    });
  });

  it("has everything that is known of a strategy", () => {
    const all = {
      name: "Mine",
      dryRun: true,
      status: "running",
      phase: "paused",
      lastError: "boom",
      totalProfit: 4.25,
      config: PLAN.config,
      orders: PLAN.orders,
      state: { round: 1 },
      notes: { trend: "up", spread: 0.4 },
      averageCost: 60_123.456_78,
      refused: PLAN.refused,
      notices: PLAN.warnings,
      stream: "live",
    };
    expect(shown(all)).toEqual({
      strategies: [
        {
          strategy: "Mine (two-sided-1)",
          market: "BTC/USDT on kraken (paper trading)",
          status: "running, paused",
          error: "boom",
          total: "4.25 USDT, 2.5 realized; 3 filled",
          config: "spread 0.002, sizes [1,2]",
          orders: "bid: buy 1.001 at 99.9; ask: sell 0.999 at 100.1",
          state: '{"round":1}',
          notes: "trend up, spread 0.4",
          holds: "0.1 BTC at 60123.46",
          waiting: "low: low is below the exchange's minimum; far: there is not enough free quote",
          notice: "one side. the switch is on",
          lastStepAt: 7,
          stream: "live",
        },
      ],
      count: 1,
    });
  });

  it.each([
    ["idle", "idle", "idle"],
    ["running", "active", "running, active"],
  ])("shows the status %s with the phase %s as %s", (status, phase, text) => {
    expect(shown({ status, phase })).toMatchObject({ strategies: [{ status: text }] });
  });

  it("shows the first 200 characters of a state", () => {
    // With its quotes, the text has two characters more.
    expect(shown({ state: "x".repeat(198) })).toMatchObject({
      strategies: [{ state: `"${"x".repeat(198)}"` }],
    });
    expect(shown({ state: "x".repeat(199) })).toMatchObject({
      strategies: [{ state: `"${"x".repeat(199)}…` }],
    });
  });
});
