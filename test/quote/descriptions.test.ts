import { expect, it } from "vitest";
import { quotesView } from "../../src/quote/schema/view.ts";

const QUOTE = {
  id: "quote-mexc-SNEK-USDT-1",
  dryRun: false,
  exchange: "mexc",
  symbol: "SNEK/USDT",
  status: "running",
  phase: "active",
  spreadPercent: 1,
  levels: 1,
  budget: { base: "20000", quote: "100" },
  maxLoss: null,
  defend: null,
  reference: 0.002,
  halfSpreadPercent: 0.7,
  widenedBy: "volatility",
  sources: [
    { source: "own", counted: true, because: null },
    { source: "dex", counted: true, because: null },
    { source: "gateio", counted: false, because: "stale" },
  ],
  quotedAt: 1,
  orders: [
    { side: "buy", price: 0.00198, amount: 25_000 },
    { side: "sell", price: 0.00202, amount: 24_000 },
  ],
  filledOrders: 3,
  profit: 0.421,
  totalProfit: -1.23456,
  position: "20000",
  averageCost: 0.00201234567,
  refused: [],
  notices: [],
  startedAt: 1,
  lastStepAt: 2,
  lastError: null,
};

const linesOf = (over: object) =>
  (quotesView({ strategies: [{ ...QUOTE, ...over }], count: 1 }) as { strategies: object[] }).strategies[0];

it("quotes show their price, its source, their open orders and their result", () => {
  expect(linesOf({})).toEqual({
    quotes: QUOTE.id,
    market: "SNEK/USDT on mexc",
    status: "running, active",
    total: "-1.23 USDT, +0.42 realized; 3 filled",
    "loss limit": "none; --max-loss sets one",
    price: "0.002, from its own book, dex; not counted: gateio (stale)",
    spread: "1.4 %, by volatility; 1 % requested",
    bids: "25000 at 0.00198",
    asks: "24000 at 0.00202",
    holds: "20000 SNEK at 0.002012346; quotes with 20000 SNEK and 100 USDT",
    lastStepAt: 2,
  });
});

it("quotes without a price say so, and one-sided quotes show their only side", () => {
  const sources = [{ source: "own", counted: false, because: "missing" }];
  expect(
    linesOf({ reference: null, halfSpreadPercent: null, widenedBy: null, orders: [], sources }),
  ).toMatchObject({
    price: "none; nothing is quoted until there is one; not counted: its own book (missing)",
    spread: "1 % requested",
    bids: "no open orders",
    asks: "no open orders",
  });
  expect(linesOf({ maxLoss: "50" })).toMatchObject({
    "loss limit": "cancels both sides at a loss of 50 USDT",
  });
  const [bid] = QUOTE.orders;
  const refused = [{ slot: 1, reason: "no_base", detail: "no SNEK is free" }];
  expect(linesOf({ orders: [bid], refused })).toMatchObject({
    asks: "no open orders",
    waiting: "1 order: no SNEK is free",
  });
});

it("an empty list of quotes shows how to start some", () => {
  expect(quotesView({ strategies: [], count: 0 })).toEqual({
    note: "no quotes are running; start some with `edgemaker quote start`",
    count: 0,
  });
});
