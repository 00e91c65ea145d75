import { expect, it } from "vitest";
import { declaredKind } from "../../../src/declared/kind.ts";
import { askDefinition } from "../../../src/declared/pass/ask.ts";
import { requestedData } from "../../../src/declared/pass/requested.ts";
import { inputFor, othersBook } from "../../../src/declared/pass/view.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { aroundBook, declaredStrategy, MARKET, passOver } from "../../support/declared.ts";
import { d } from "../../support/grid.ts";
import { fill, NOW, reportedOrder } from "../../support/made.ts";

const inputs = (quote: string) => {
  const one = declaredStrategy("own");
  const strategy = { ...one, state: { ...one.state, ledger: { ...one.state.ledger, quote: d(quote) } } };
  const requested = { candles: [], reference: { price: null, prices: [] } };
  return { strategy, live: [], market: MARKET, book: aroundBook("99", "101"), now: NOW, requested };
};

it("a function sees the quote that its trades have left of its budget", () => {
  const free = (quote: string) =>
    String(inputFor(inputs(quote), { config: {}, state: undefined }).free.quote);
  expect([free("0"), free("-400"), free("-1001"), free("50")]).toEqual(["1000", "600", "0", "1050"]);
});

it("a function does not see what is left of its own orders in the book", () => {
  const open = [reportedOrder({ price: d("99"), amount: d("8"), filled: d("3") })];
  const { observed } = passOver(aroundBook("99", "101"));
  expect(othersBook({ observed: { ...observed, open } })?.bids[0]?.amount).toBe(d("5"));
});

it("a function sees only prices of other exchanges that are at most a minute old", () => {
  const price = (source: string, age: number) => ({ source, price: d("100"), at: NOW - age });
  const elsewhere = { prices: [price("a", MINUTE), price("b", MINUTE + 1)], requestedAt: NOW, bookAt: NOW };
  const data = requestedData({ reference: true } as never, { elsewhere } as never, NOW);
  expect(typeof data !== "string" && data.reference.prices.map(({ source }) => source)).toEqual(["a"]);
});

it("an order's price is rounded away from the other side", () => {
  const orders = () => [
    { id: "a", side: "buy", price: "99.119", size: "1" },
    { id: "b", side: "sell", price: "101.111", size: "1" },
  ];
  const answer = askDefinition({ definition: { name: "own", orders } as never, config: {} }, inputs("0"));
  expect("wishes" in answer && answer.wishes.map(({ price }) => price)).toEqual([d("99.11"), d("101.12")]);
});

it("a function sees every fill since its last call", () => {
  const kind = declaredKind([]);
  const first = kind.bookFill(declaredStrategy("own").state, "BTC/USDT", fill(), 0);
  const both = kind.bookFill(first, "BTC/USDT", fill({ tradeId: "t2", amount: d("3") }), 0);
  expect(both.fills.map(({ amount }) => amount)).toEqual([d("1"), d("3")]);
});
