import { expect, it } from "vitest";
import { quoteLines } from "../../src/quote/schema/view.ts";

const DETAILS = {
  kind: "quote",
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
};
const BID = { id: "0", side: "buy", price: "0.00198", amount: "25000" } as const;
const ASK = { id: "1", side: "sell", price: "0.00202", amount: "24000" } as const;

const linesOf = (over: object, orders: readonly (typeof BID | typeof ASK)[] = [BID, ASK]) =>
  quoteLines({ symbol: "SNEK/USDT", orders, waiting: [], details: { ...DETAILS, ...over } });

it("quotes show their price, its source and their open orders", () => {
  expect(linesOf({})).toEqual({
    "loss limit": "none; --max-loss sets one",
    price: "0.002, from its own book, dex; not counted: gateio (stale)",
    spread: "1.4 %, by volatility; 1 % requested",
    bids: "25000 at 0.00198",
    asks: "24000 at 0.00202",
    "quotes with": "20000 SNEK and 100 USDT",
  });
});

it("quotes without a price say so, and one-sided quotes show their only side", () => {
  const sources = [{ source: "own", counted: false, because: "missing" }];
  expect(linesOf({ reference: null, halfSpreadPercent: null, widenedBy: null, sources }, [])).toMatchObject({
    price: "none; nothing is quoted until there is one; not counted: its own book (missing)",
    spread: "1 % requested",
    bids: "no open orders",
    asks: "no open orders",
  });
  expect(linesOf({ maxLoss: "50" })).toMatchObject({
    "loss limit": "cancels both sides at a loss of 50 USDT",
  });
  expect(linesOf({}, [BID])).toMatchObject({ asks: "no open orders" });
});
