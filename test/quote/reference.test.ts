import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { midOfBook, midOfOthers, withoutOwn } from "../../src/engine/position/position.ts";
import { type Decimal, max, min, ONE, text } from "../../src/kernel/decimal.ts";
import { type PriceSource, referencePrice } from "../../src/quote/reference.ts";
import { d } from "../support/grid.ts";

const NOW = 1_000_000;
const source = (price: string | undefined, over: Partial<PriceSource> = {}): PriceSource => ({
  source: "kraken",
  price: price === undefined ? undefined : d(price),
  at: NOW - 1000,
  maxAge: 60_000,
  weight: ONE,
  collar: null,
  ...over,
});
const priceOf = (...sources: PriceSource[]): string | null => {
  const { price } = referencePrice(sources, NOW);
  return price === null ? null : text(price);
};

describe("a reference price", () => {
  it("is the median of available fresh sources", () => {
    expect(priceOf(source("1"), source("1.1"), source("9"))).toBe("1.1");
    expect(priceOf(source("1"), source("1.2"))).toBe("1.1");
    expect(priceOf(source(undefined), source("1.2"))).toBe("1.2");
    expect(priceOf(source("1.2"), source("9", { at: NOW - 60_001 }))).toBe("1.2");
    expect(priceOf(source("9", { at: NOW - 60_000 }))).toBe("9");
  });

  it("is missing if no source counts, with a reason for each", () => {
    const result = referencePrice(
      [
        source(undefined, { source: "own" }),
        source("1", { source: "gateio", at: 0 }),
        source("1", { source: "mexc", at: NOW + 5001 }),
        source("0", { source: "dex" }),
        source("1", { source: "fixed", weight: 0n }),
      ],
      NOW,
    );
    expect(result.price).toBeNull();
    expect(result.sources.map(({ source: name, because }) => [name, because])).toEqual([
      ["own", "missing"],
      ["gateio", "stale"],
      ["mexc", "early"],
      ["dex", "missing"],
      ["fixed", "weightless"],
    ]);
  });

  it("weights sources: one with more than half of the weight decides", () => {
    expect(priceOf(source("1", { weight: d("3") }), source("2"), source("3"))).toBe("1");
    expect(priceOf(source("1", { weight: d("2") }), source("2"), source("3"))).toBe("1.5");
  });

  it("drops a source beyond its collar, and keeps one at the edge", () => {
    const far = (price: string) => source(price, { collar: d("0.1"), source: "thin" });
    const result = referencePrice([far("1.1"), source("1"), source("1")], NOW);
    expect(result.sources.map(({ because }) => because)).toEqual([null, null, null]);
    const beyond = referencePrice([far("1.11"), source("1"), source("1")], NOW);
    expect(beyond.sources[0]?.because).toBe("beyond_collar");
    expect(text(beyond.price as Decimal)).toBe("1");
  });

  it("names a source's age before its distance", () => {
    const old = source("9", { collar: d("0.1"), at: 0 });
    const { sources } = referencePrice([old, source("1"), source("1")], NOW);
    expect(sources.map(({ because }) => because)).toEqual(["stale", null, null]);
  });

  it("never ages if it is fixed", () => {
    const { sources, price } = referencePrice([source("2", { source: "fixed", at: null, maxAge: 0 })], NOW);
    expect([text(price as Decimal), sources[0]?.age]).toEqual(["2", null]);
  });

  it("is within the range of the counted sources, in any order", () => {
    const one = fc
      .tuple(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 5 }), fc.boolean())
      .map(([price, weight, isCollared]) =>
        source(String(price), { weight: BigInt(weight) * ONE, collar: isCollared ? d("0.2") : null }),
      );
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 8 }), fc.func(fc.integer()), (sources, by) => {
        const { price, sources: sourceViews } = referencePrice(sources, NOW);
        const shuffled = [...sources].sort((a, b) => by(a) - by(b));
        expect(referencePrice(shuffled, NOW).price).toBe(price);
        const prices = sourceViews.flatMap((each) =>
          each.because === null && each.price ? [each.price] : [],
        );
        expect(prices.length > 0).toBe(price !== null);
        if (price === null) return;
        expect(price >= prices.reduce(min) && price <= prices.reduce(max)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the mid of a book", () => {
  const book = (bids: string[], asks: string[]) => ({
    bids: bids.map((price) => ({ price: d(price), amount: ONE })),
    asks: asks.map((price) => ({ price: d(price), amount: ONE })),
    at: NOW,
  });

  it.each([
    ["of both sides", ["1"], ["2"], "1.5"],
    ["of an empty book", [], [], undefined],
    ["of one side", ["1"], [], undefined],
    ["of a locked book", ["1"], ["1"], undefined],
    ["of a crossed book", ["2"], ["1"], undefined],
  ])("%s", (_name, bids, asks, mid) => {
    const found = midOfBook(book(bids, asks));
    expect(found === undefined ? undefined : text(found)).toBe(mid);
  });

  it("excludes one's own orders, level by level", () => {
    const whole = book(["1", "0.9"], ["1.2", "1.3"]);
    const own = [
      { side: "buy", price: d("1"), amount: ONE },
      { side: "sell", price: d("1.2"), amount: d("0.4") },
      { side: "sell", price: d("1"), amount: ONE },
    ] as const;
    const others = withoutOwn(whole, own);
    expect(others.bids.map(({ price }) => text(price))).toEqual(["0.9"]);
    expect(others.asks.map(({ amount }) => text(amount))).toEqual(["0.6", "1"]);
  });

  it("is missing without own orders if the book was locked, even by an own order", () => {
    const own = [{ side: "buy", price: d("1.2"), amount: ONE }] as const;
    expect(midOfOthers(book(["1.2", "1"], ["1.2"]), own)).toBe(undefined);
    expect(midOfOthers(book(["1.2", "1"], ["1.4"]), own)).toBe(d("1.2"));
  });
});
