import { expect, it } from "vitest";
import { simulate } from "../../../cli/testing/package.ts";
import { backtestStrategy } from "../../../src/backtest/position/testing.ts";
import { completedSeries } from "../../../src/engine/pass/observe-markets.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { ownStrategyKind } from "../../../src/own/kind.ts";
import { defineStrategy, z } from "../../../src/own/package.ts";
import { askDefinition, inputFor, othersBook, requestedData } from "../../../src/own/pass/ask.ts";
import type { StrategyInput } from "../../../src/ports/definition.ts";
import { aroundBook, MARKET, ownStrategyExample, passOver } from "../../support/declared.ts";
import { d } from "../../support/grid.ts";
import { fill, NOW, order, reportedOrder } from "../../support/made.ts";

const START = 1_767_225_600_000;

/** Records what it receives, and buys nothing. */
function recorder(more: object) {
  const inputs: StrategyInput[] = [];
  const definition = defineStrategy({
    name: "own",
    config: z.object({}),
    ...more,
    orders(input) {
      inputs.push(input);
      return [];
    },
  });
  return { inputs, definition };
}

const prices = Array.from({ length: 16 }, (_, i) => 60_000 + i * 100);

const inputs = (quote: string) => {
  const one = ownStrategyExample("own");
  const strategy = { ...one, state: { ...one.state, ledger: { ...one.state.ledger, quote: d(quote) } } };
  const requested = { candles: [], reference: { price: null, prices: [], reason: null } };
  return { strategy, live: [], market: MARKET, book: aroundBook("99", "101"), now: NOW, requested };
};

it("passes completed candles of a longer timeframe in a backtest, and none of the future", () => {
  const { inputs, definition } = recorder({ candles: { timeframe: "5m", count: 2 } });
  backtestStrategy(definition, { config: {}, prices, quote: 1000, tickInterval: MINUTE });
  expect(inputs.length).toBeGreaterThan(10);
  for (const { now, candles } of inputs)
    for (const { at } of candles) expect(at + 5 * MINUTE).toBeLessThanOrEqual(now);
  const last = inputs
    .at(-1)
    ?.candles.map(({ at, open, high, low, close }) => [
      (at - START) / MINUTE,
      ...[open, high, low, close].map(String),
    ]);
  expect(last).toEqual([
    [5, "60500", "61000", "60500", "61000"],
    [10, "61000", "61500", "61000", "61500"],
  ]);
});

it("refuses a backtest on candles that are longer than those of the strategy", () => {
  const { definition } = recorder({ candles: { timeframe: "1m", count: 2 } });
  const rows = [0, 1].map((i) => `${START + i * 300_000},60000,60100,59900,60000,1`);
  const text = ["timestamp,open,high,low,close,volume", ...rows].join("\n");
  expect(() => backtestStrategy(definition, { config: {}, prices: text, quote: 1000 })).toThrow(
    "uses candles of 1m",
  );
});

it("passes prices of another exchange, as they were known at the time", () => {
  const { inputs, definition } = recorder({ reference: true });
  const reference = prices.map((price) => price + 7);
  backtestStrategy(definition, { config: {}, prices, reference, quote: 1000, tickInterval: MINUTE });
  expect(String(inputs.find(({ now }) => now === START + 5 * MINUTE)?.reference.price)).toBe("60507");
  const without = recorder({ reference: true });
  backtestStrategy(without.definition, { config: {}, prices, quote: 1000, tickInterval: MINUTE });
  expect(without.inputs[0]?.reference).toEqual({
    price: null,
    prices: [],
    reason: "no other source has returned a price",
  });
});

it("reads both in the sandbox, once per candle, under crashes", async () => {
  const { inputs, definition } = recorder({ candles: { timeframe: "5m", count: 3 }, reference: true });
  const { problems } = await simulate(definition, { config: {}, passes: 60 });
  expect(problems).toEqual([]);
  expect(inputs.length).toBeGreaterThan(60);
  for (const { now, candles, reference } of inputs) {
    const ends = candles.map(({ at }) => at + 5 * MINUTE);
    expect(Math.max(...ends)).toBeLessThanOrEqual(now);
    expect(now - Math.max(...ends)).toBeLessThan(10 * MINUTE);
    expect(reference.prices.length).toBeLessThanOrEqual(3);
    for (const { source, price, bid, ask, at } of reference.prices) {
      expect(at).toBeLessThanOrEqual(now);
      if (source === "dex") expect([bid, ask]).toEqual([null, null]);
      else expect([bid?.isLess(price), ask?.isMore(price)]).toEqual([true, true]);
    }
  }
  expect(inputs.some(({ reference }) => reference.prices.length === 3 && reference.price !== null)).toBe(
    true,
  );
  expect(inputs.at(-1)?.candles).toHaveLength(3);
});

const candle = (at: number) => ({
  at,
  open: d("1"),
  high: d("2"),
  low: d("1"),
  close: d("2"),
  volume: d("3"),
});

it("waits for a completed candle that the exchange does not show yet, and no longer than a minute", () => {
  const need = { span: 5 * MINUTE, count: 2 };
  const rows = [0, 5].map((minute) => candle(START + minute * MINUTE));
  const at = (minute: number) => completedSeries(rows, need, START + minute * MINUTE).until - START;
  expect([at(10), at(15), at(15.5), at(16)].map((until) => until / MINUTE)).toEqual([10, 10, 10, 15]);
});

it("does not call the function without its candles", () => {
  const { definition } = recorder({ candles: { timeframe: "1h", count: 2 } });
  const book = aroundBook("99", "101");
  const data = (candles: object) => requestedData(definition, { book, ...candles }, NOW);
  expect(data({})).toContain("candles of 1h were not read");
  const series = (until: number) => ({
    candles: [{ span: 60 * MINUTE, count: 2, until, rows: [candle(until - 60 * MINUTE)] }],
  });
  expect(data(series(NOW - 120 * MINUTE))).toContain("were not read");
  expect(data(series(NOW - 10 * MINUTE))).toMatchObject({ candles: [{}] });
});

it("accepts 1 to 200 candles", () => {
  for (const count of [1, 200])
    expect(recorder({ candles: { timeframe: "1h", count } }).definition.candles?.count).toBe(count);
});

it.each([
  { timeframe: "2m", count: 1 },
  { timeframe: "1h", count: 1.5 },
  { timeframe: "1h", count: 0 },
  { timeframe: "1h", count: 201 },
])("refuses candles %o", (candles) => {
  expect(() => recorder({ candles })).toThrow("candles needs a timeframe");
});

it("a test of a strategy makes passes each five seconds by default, and rejects a pair without a quote", () => {
  const times: number[] = [];
  const definition = defineStrategy({
    name: "watch",
    config: z.object({}),
    orders: ({ now }) => {
      times.push(now);
      return [];
    },
  });
  const run = (rules: object) =>
    backtestStrategy(definition, { config: {}, prices: [100, 100], quote: 10, ...rules });
  run({});
  // Each call is made twice.
  expect(new Set(times.slice(1).map((at, i) => at - (times[i] as number)))).toEqual(new Set([0, 5000]));
  expect(() => run({ market: { symbol: "BTC" } })).toThrow(
    "BTC is not a pair: use BASE/QUOTE, such as BTC/USDT",
  );
});

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
    reference: { price: null, prices: [], reason: null },
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
  const { state } = ownStrategyExample("own");
  const bookedIn = (slot: number) =>
    ownStrategyKind([]).bookFill({ ...state, ids: ["a", ""] }, "BTC/USDT", fill(), slot).fills[0]?.id;
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

it("a function sees no price that is older than its maximum age, and why", () => {
  const price = (source: string, age: number, sides = {}) => ({
    source,
    price: d("100"),
    at: NOW - age,
    ...sides,
  });
  const prices = [price("gateio", 20_000, { bid: d("99"), ask: d("101") }), price("dex", 90_000)];
  const elsewhere = { prices, requestedAt: NOW, bookAt: NOW };
  const seen = (reference: unknown, read = elsewhere) => {
    const data = requestedData({ reference } as never, { elsewhere: read } as never, NOW, 7_000_000);
    return typeof data === "string" ? data : JSON.parse(JSON.stringify(data.reference));
  };
  const gateio = { source: "gateio", price: "100", bid: "99", ask: "101", at: 7_000_000 - 20_000 };
  const dex = { source: "dex", price: "100", bid: null, ask: null, at: 7_000_000 - 90_000 };
  expect(seen(true)).toEqual({ price: "100", prices: [gateio], reason: null });
  expect(seen({})).toEqual(seen(true));
  expect(seen({ maxAge: 90_000 })).toEqual({ price: "100", prices: [gateio, dex], reason: null });
  expect(seen({ maxAge: 19_999 })).toEqual({
    price: null,
    prices: [],
    reason: "the newest price, of gateio, is 20 s old; the maximum is 19.999 s",
  });
  expect(seen(true, { ...elsewhere, prices: [] }).reason).toBe("no other source has returned a price");
});

it.each([4999, 3_600_001, 5000.5, "1m"])("refuses a maximum age of %s", (maxAge) => {
  expect(() => recorder({ reference: { maxAge } })).toThrow("reference.maxAge");
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
  const kind = ownStrategyKind([]);
  const first = kind.bookFill(ownStrategyExample("own").state, "BTC/USDT", fill(), 0);
  const both = kind.bookFill(first, "BTC/USDT", fill({ tradeId: "t2", amount: d("3") }), 0);
  expect(both.fills.map(({ amount }) => amount)).toEqual([d("1"), d("3")]);
});
