import { expect, it } from "vitest";
import { declaredKind } from "../../../src/declared/kind.ts";
import { askDefinition, inputFor, othersBook, requestedData } from "../../../src/declared/pass/ask.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { aroundBook, declaredStrategy, MARKET, passOver } from "../../support/declared.ts";
import { d } from "../../support/grid.ts";
import { fill, NOW, order, reportedOrder } from "../../support/made.ts";

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

it("a function sees its position, its open orders, the market's rules and the book", () => {
  const { strategy, ...rest } = inputs("0");
  const ledger = { ...strategy.state.ledger, realized: d("7") };
  const state = { ...strategy.state, ids: ["a", "", "c"], base: d("4"), cost: d("410"), ledger };
  const live = [
    order({ slot: 0, filled: d("0.5"), state: "partially_filled" }),
    order({ slot: 1 }),
    order({ slot: 2, state: "canceled" }),
    order({ slot: 3 }),
  ];
  const input = inputFor({ ...rest, strategy: { ...strategy, state }, live }, { config: 1, state: 2 });
  const shown = JSON.parse(JSON.stringify({ ...input, random: undefined }));
  expect(shown).toEqual({
    config: 1,
    state: 2,
    now: NOW,
    candles: [],
    reference: { price: null, prices: [] },
    fills: [],
    quote: { bid: "99", ask: "101", mid: "100" },
    book: { bids: [{ price: "99", amount: "10" }], asks: [{ price: "101", amount: "10" }] },
    market: {
      symbol: "BTC/USDT",
      base: "BTC",
      quote: "USDT",
      tick: "0.01",
      lot: "0.001",
      minAmount: "0.001",
      minNotional: "5",
      maker: "0.001",
      taker: "0.001",
    },
    position: { base: "4", cost: "410", averageCost: "102.5", realized: "7" },
    free: { base: "4", quote: "1000" },
    open: [{ id: "a", side: "buy", price: "100", amount: "2", filled: "0.5" }],
  });
});

it("a function sees no average cost without base, and no base below zero", () => {
  const { strategy, ...rest } = inputs("0");
  const seen = (base: string) => {
    const state = { ...strategy.state, base: d(base), cost: d("0") };
    const { position, free } = inputFor(
      { ...rest, strategy: { ...strategy, state } },
      { config: {}, state: undefined },
    );
    return [String(position.averageCost), String(free.base)];
  };
  expect([seen("0"), seen("-1"), seen("0.001")]).toEqual([
    ["null", "0"],
    ["null", "0"],
    ["0", "0.001"],
  ]);
});

it("a function draws the same numbers again at the same time, and others at another", () => {
  const { strategy, ...rest } = inputs("0");
  const drawn = (number: number, now: number) => {
    const { random } = inputFor(
      { ...rest, now, strategy: { ...strategy, number } },
      { config: {}, state: undefined },
    );
    return [random(), random(), random()];
  };
  expect(drawn(1, NOW)).toEqual(drawn(1, NOW));
  const all = [drawn(1, NOW), drawn(2, NOW), drawn(1, NOW + 1)].flat();
  expect(new Set(all).size).toBe(9);
  expect(all.every((one) => one >= 0 && one < 1)).toBe(true);
});

it("a fill of a slot that has no id any more has none", () => {
  const { state } = declaredStrategy("own");
  const bookedIn = (slot: number) =>
    declaredKind([]).bookFill({ ...state, ids: ["a", ""] }, "BTC/USDT", fill(), slot).fills[0]?.id;
  expect([bookedIn(0), bookedIn(1), bookedIn(2)]).toEqual(["a", null, null]);
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

it("a function sees the side, price, amount and time of a fill, and its order's id", () => {
  const { strategy, ...rest } = inputs("0");
  const seen = { id: "a", side: "sell" as const, price: d("101.5"), amount: d("3"), at: 9 };
  const one = { ...strategy, state: { ...strategy.state, fills: [seen] } };
  const { fills } = inputFor({ ...rest, strategy: one }, { config: {}, state: undefined });
  expect(JSON.parse(JSON.stringify(fills))).toEqual([{ ...seen, price: "101.5", amount: "3" }]);
});

it("a function sees every fill since its last call", () => {
  const kind = declaredKind([]);
  const first = kind.bookFill(declaredStrategy("own").state, "BTC/USDT", fill(), 0);
  const both = kind.bookFill(first, "BTC/USDT", fill({ tradeId: "t2", amount: d("3") }), 0);
  expect(both.fills.map(({ amount }) => amount)).toEqual([d("1"), d("3")]);
});
