import { describe, expect, it } from "vitest";
import * as z from "zod";
import { text } from "../../../src/kernel/decimal.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { ownStrategyKind } from "../../../src/own/kind.ts";
import { askDefinition, requestedData, runnableOf } from "../../../src/own/pass/ask.ts";
import { asOwnStrategy } from "../../../src/own/state.ts";
import type { AnyStrategyDefinition, Declared } from "../../../src/ports/definition.ts";
import { aroundBook, MARKET, named, ownStrategyExample } from "../../support/declared.ts";
import { d } from "../../support/grid.ts";
import { NOW } from "../../support/made.ts";

const BUY = { id: "a", side: "buy", price: 90, size: 1 } as const;
const BOOK = aroundBook("99.95", "100.05");
const buying = named(() => [BUY]);

describe("the answer of a function", () => {
  const asked = (orders: () => unknown, more: Partial<AnyStrategyDefinition> = {}) => {
    const requested = { candles: [], reference: { price: null, prices: [], reason: null } };
    const inputs = {
      strategy: ownStrategyExample("own"),
      live: [],
      market: MARKET,
      book: BOOK,
      now: NOW,
      requested,
    };
    const definition = { name: "own", config: z.object({}), orders: () => orders() as Declared, ...more };
    return askDefinition({ definition, config: {} }, inputs);
  };
  const many = (count: number) => () => Array.from({ length: count }, (_, i) => ({ ...BUY, id: `${i}` }));

  it("has at most 100 orders, with ids of at most 40 characters", () => {
    expect(asked(many(100)).fault).toBeNull();
    expect(asked(many(101)).fault).toBe("orders() returned 101 orders; the maximum is 100");
    expect(asked(() => [{ ...BUY, id: "x".repeat(40) }]).fault).toBeNull();
    for (const id of ["", "x".repeat(41)])
      expect(asked(() => [{ ...BUY, id }]).fault).toBe("an order's id is not a text of 1 to 40 characters");
  });

  it("has amounts in base or in quote, rounded down to the lot", () => {
    const result = asked(() => [
      { id: "a", side: "buy", price: 3, quoteSize: 10 },
      { id: "b", side: "sell", price: 110, size: "1.2349" },
      { id: "c", side: "sell", price: 110, size: 0 },
    ]);
    expect("wishes" in result && result.wishes.map(({ amount }) => text(amount))).toEqual([
      "3.333",
      "1.234",
      "0",
    ]);
  });

  it("is a fault of at most 500 characters, with the place of the function", () => {
    const boom = (message: string) => () => {
      throw new Error(message);
    };
    expect(asked(boom("boom"), { source: "own.ts:6" }).fault).toBe("own.ts:6: boom");
    expect(asked(boom("boom"), { source: "own.ts:6", locate: () => "own.ts:8" }).fault).toBe(
      "own.ts:8: boom",
    );
    expect(asked(boom("x".repeat(600))).fault).toBe("x".repeat(500));
  });

  it("is the same for the same input where it is called twice", () => {
    let calls = 0;
    const changing = () => [{ ...BUY, price: 90 + calls++ }];
    expect(asked(changing).fault).toBeNull();
    expect(asked(changing, { isCalledTwice: true }).fault).toContain(
      "two calls with the same input returned different",
    );
    expect(asked(() => [BUY], { isCalledTwice: true }).fault).toBeNull();
  });
});

it("a config that no longer fits stops its strategy, and names the field", () => {
  const changed = { ...buying, config: z.object({ far: z.number() }) };
  expect(runnableOf(ownStrategyExample("own"), [changed])).toMatch(
    /^own has changed, and its config no longer fits: far: /,
  );
  const throwing = {
    ...buying,
    config: z.object({}).transform(() => { throw new Error("no"); }) as never, // biome-ignore format: short
  };
  expect(runnableOf(ownStrategyExample("own"), [throwing])).toBe("no");
});

it("a strategy of another kind is not read as one", () => {
  expect(asOwnStrategy(ownStrategyExample("own"))).toMatchObject({ kind: "declared" });
  expect(() => asOwnStrategy({ ...ownStrategyExample("own"), kind: "grid" })).toThrow(
    "strategy g is of another kind",
  );
});

it("a strategy is in range unless its function failed", () => {
  const { isInRange } = ownStrategyKind([]);
  const { state } = ownStrategyExample("own");
  expect([isInRange(state, 0n), isInRange({ ...state, fault: { message: "no", resumes: 0 } }, 0n)]).toEqual([
    true,
    false,
  ]);
});

it("requests candles and prices only if its definition does", () => {
  const candles = named(() => [], { candles: { timeframe: "1h", count: 3 } });
  const reference = { ...named(() => [], { reference: true }), name: "other" };
  const strict = { ...named(() => [], { reference: { maxAge: 5000 } }), name: "strict" };
  const { asksElsewhere, candlesFor } = ownStrategyKind([candles, reference, strict]);
  const config = (definition: string) => ownStrategyExample(definition).config;
  expect(["own", "other", "strict", "none"].map((name) => asksElsewhere?.(config(name)))).toEqual([
    undefined,
    { every: 15 * SECOND },
    { every: 2500 },
    undefined,
  ]);
  expect(["own", "other", "none"].map((name) => candlesFor?.(config(name)))).toEqual([
    [{ span: HOUR, count: 3 }],
    [],
    [],
  ]);
});

it("passes the newest candles and the median of the prices elsewhere, if they are requested", () => {
  const definition = named(() => [], { candles: { timeframe: "1h", count: 2 }, reference: true });
  const row = (hour: number) => ({
    at: hour * HOUR,
    open: d("1"),
    high: d(`${hour}`),
    low: d("0.5"),
    close: d("2"),
    volume: d("7"),
  });
  const series = { span: HOUR, count: 2, until: 4 * HOUR, rows: [row(1), row(2), row(3)] };
  const prices = ["100", "103", "101"].map((price, i) => ({ source: `s${i}`, price: d(price), at: NOW }));
  const elsewhere = { prices, requestedAt: NOW, bookAt: NOW };
  const data = requestedData(definition, { candles: [series], elsewhere }, NOW);
  expect(JSON.parse(JSON.stringify(data))).toEqual({
    candles: [2, 3].map((hour) => ({
      at: hour * HOUR,
      open: "1",
      high: `${hour}`,
      low: "0.5",
      close: "2",
      volume: "7",
    })),
    reference: {
      price: "101",
      prices: [
        ["s0", "100"],
        ["s1", "103"],
        ["s2", "101"],
      ].map(([source, price]) => ({ source, price, bid: null, ask: null, at: NOW })),
      reason: null,
    },
  });
  expect(requestedData(buying, { candles: [series], elsewhere }, NOW)).toEqual({
    candles: [],
    reference: { price: null, prices: [], reason: null },
  });
  const old = { ...elsewhere, prices: prices.map((one) => ({ ...one, at: NOW - MINUTE - 1 })) };
  expect(requestedData(definition, { candles: [series], elsewhere: old }, NOW)).toMatchObject({
    reference: { price: null, prices: [] },
  });
  const atEnd = (at: number) =>
    typeof requestedData(definition, { candles: [series], book: { ...BOOK, at } }, NOW);
  expect([atEnd(6 * HOUR - 1), atEnd(6 * HOUR)]).toEqual(["object", "string"]);
});
