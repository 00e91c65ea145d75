import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Decimal, text } from "../../../src/kernel/decimal.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { dayAverages } from "../../../src/liquidity/exchange-rules.ts";
import {
  depthWithin,
  EMPTY_OFFER,
  foldSamples,
  formatOffer,
  joinMinutes,
  joinOffers,
  type LiquiditySample,
  minuteOf,
  type OfferPart,
  ownLevels,
  parseOffer,
  sampleBook,
  twoSidedMillis,
} from "../../../src/model/samples/sample.ts";
import { d } from "../../support/grid.ts";
import { spanOf } from "../../support/liquidity-minute.ts";

const levels = (...rows: readonly [string, string][]) =>
  rows.map(([price, amount]) => ({ price: d(price), amount: d(amount) }));
const shown = (value: Decimal | null | undefined) => (value == null ? null : text(value));

/** By hand: mid 100, spread 0.4/100; a bid exactly 2 % away counts, one a tick further does not. */
const BOOK = {
  bids: levels(["99.8", "1"], ["99.5", "2"], ["99", "3"], ["98", "4"], ["97.999", "5"]),
  asks: levels(["100.2", "1"], ["100.5", "2"], ["100.501", "1"], ["102", "1"], ["102.001", "9"]),
};
const observed = { at: 0, bid: undefined, ask: undefined, reference: null };

describe("depth", () => {
  it("counts levels exactly at the edge, and nothing beyond it", () => {
    expect(depthWithin("buy", BOOK.bids, d("100")).map(text)).toEqual(["298.8", "595.8", "987.8"]);
    expect(depthWithin("sell", BOOK.asks, d("100")).map(text)).toEqual(["301.2", "401.701", "503.701"]);
  });
});

describe("own orders in a book", () => {
  const order = (side: "buy" | "sell", price: string, amount: string, filled = "0") => ({
    side,
    price: d(price),
    amount: d(amount),
    filled: d(filled),
  });
  const format = (limit: number, ...orders: ReturnType<typeof order>[]) =>
    ownLevels(BOOK, orders, limit).map(({ price, amount }) => `${text(amount)} at ${text(price)}`);

  it("are limited to the amounts at their prices, so that filled parts do not count", () => {
    expect(format(100, order("buy", "99.5", "1.5"), order("sell", "100.4", "1"))).toEqual(["1.5 at 99.5"]);
    expect(format(100, order("buy", "99.8", "4", "1"), order("buy", "97", "1"))).toEqual(["1 at 99.8"]);
    expect(format(100, order("sell", "99.5", "1"))).toEqual([]);
  });
  it("are not counted twice where two of them share a price", () => {
    const twice = format(
      100,
      order("buy", "99.5", "1.5"),
      order("buy", "99.5", "1"),
      order("buy", "99.5", "1"),
    );
    expect(twice).toEqual(["1.5 at 99.5", "0.5 at 99.5"]);
  });
  it("count in full beyond the end of a truncated book", () => {
    const far = [order("buy", "97", "1"), order("sell", "103", "3", "1"), order("buy", "98.5", "1")];
    expect(format(5, ...far)).toEqual(["1 at 97", "2 at 103"]);
    expect(format(6, ...far)).toEqual([]);
  });
});

describe("a sample", () => {
  it("separates the market from one's own orders", () => {
    const sample = sampleBook({ ...observed, book: BOOK, limit: 100, reference: d("101") }, [
      { side: "buy", price: d("99"), amount: d("2") },
      { side: "sell", price: d("101"), amount: d("1") },
      { side: "sell", price: d("103"), amount: d("1") },
    ]);
    expect([sample.spread, sample.ownSpread, sample.mid].map(shown)).toEqual(["0.004", "0.02", "100"]);
    expect(sample.ownOrders).toEqual({ bids: 1, asks: 2 });
    expect(sample.ownDepth?.bids.map(text)).toEqual(["0", "198", "198"]);
    expect(sample.ownDepth?.asks.map(text)).toEqual(["0", "101", "101"]);
    expect(sample.depth?.bids.map(text)).toEqual(["298.8", "595.8", "987.8"]);
    expect(sample.isCutShort).toBe(false);
  });

  it("marks a truncated book that ends inside the widest band", () => {
    const short = { bids: BOOK.bids.slice(0, 3), asks: BOOK.asks };
    expect(sampleBook({ ...observed, book: short, limit: 3 }, []).isCutShort).toBe(true);
    // Three bids are all there are.
    expect(sampleBook({ ...observed, book: short, limit: 10 }, []).isCutShort).toBe(false);
  });

  it("has no depth without a book, and no spread for an empty or crossed book", () => {
    const liquiditySample = sampleBook({ ...observed, bid: d("99"), ask: d("101") }, []);
    expect([shown(liquiditySample.spread), liquiditySample.depth, liquiditySample.ownSpread]).toEqual([
      "0.02",
      null,
      null,
    ]);
    expect(sampleBook({ ...observed, bid: d("99") }, [])).toMatchObject({
      spread: null,
      mid: null,
    });
    expect(sampleBook({ ...observed, bid: d("101"), ask: d("99") }, []).spread).toBeNull();
    const own = [{ side: "buy" as const, price: d("99"), amount: d("1") }];
    const around = sampleBook({ ...observed, reference: d("100") }, own);
    expect(around.ownDepth?.bids.map(text)).toEqual(["0", "99", "99"]);
  });

  it("has a depth of 0 without orders, also if there is no price", () => {
    const nothing = { bids: [0n, 0n, 0n], asks: [0n, 0n, 0n] };
    const [ask] = BOOK.asks;
    const own = [{ side: "sell" as const, price: d("100.2"), amount: d("1") }];
    const book = { bids: [], asks: ask ? [ask] : [] };
    expect(sampleBook({ ...observed, book }, [])).toMatchObject({ ownDepth: nothing, depth: null });
    expect(sampleBook({ ...observed, book }, own)).toMatchObject({ ownDepth: null, depth: null });
    const empty = { bids: [], asks: [] };
    expect(sampleBook({ ...observed, book: empty }, [])).toMatchObject({ ownDepth: nothing, depth: nothing });
  });
});

describe("sampled minutes", () => {
  const at = (second: number, bid: string | undefined, ask: string): LiquiditySample =>
    sampleBook(
      {
        ...observed,
        at: second * 1000,
        bid: bid === undefined ? bid : d(bid),
        ask: d(ask),
        reference: d("100"),
      },
      [],
    );

  it("are as good as their worst sample", () => {
    const [first, second, ...rest] = foldSamples([
      at(61, "99", "101"),
      at(0, "99", "101"),
      at(30, "98", "102"),
      at(62, undefined, "101"),
    ]);
    expect(rest).toEqual([]);
    expect([first?.minute, first?.samples, shown(first?.spread)]).toEqual([0, 2, "0.04"]);
    expect([second?.minute, second?.samples, second?.spread, second?.deviation]).toEqual([1, 2, null, null]);
  });

  it("fold in any order, and a duplicate sample changes no figure", () => {
    const price = fc.integer({ min: 90, max: 99 });
    const samples = fc.array(fc.tuple(fc.integer({ min: 0, max: 119 }), price, fc.boolean()), {
      minLength: 1,
    });
    fc.assert(
      fc.property(samples, (rows) => {
        const made = rows.map(([second, bid, isThere]) => at(second, isThere ? `${bid}` : undefined, "101"));
        const folded = foldSamples(made);
        expect(foldSamples([...made].reverse())).toEqual(folded);
        for (const one of folded) expect(joinMinutes(one, one)).toEqual({ ...one, samples: 2 * one.samples });
        const minutes = new Set(made.map((sample) => minuteOf(sample.at)));
        expect(new Set(folded.map(({ minute }) => minute))).toEqual(minutes);
      }),
    );
  });

  it("give no figure for a day that is less than half known", () => {
    const some = Array.from({ length: 720 }, (_, minute) => at(minute * 60, "99", "101"));
    const daysOf = (samples: readonly LiquiditySample[], to: number) =>
      spanOf({ from: 0, to, rows: foldSamples(samples) }).days.map(dayAverages);
    const [known, unknown] = daysOf(some, 2 * 1440);
    expect([known?.known, shown(known?.spread)]).toEqual([720, "0.02"]);
    expect([unknown?.known, unknown?.spread]).toEqual([0, null]);
    const [half] = daysOf(some.slice(1), 1440);
    expect([half?.known, half?.spread]).toEqual([719, null]);
  });
});

const part = (spread: string, levels: number, millis: number): OfferPart => ({
  spread: d(spread),
  levels,
  millis,
});
const offer = (uncertain: number, ...parts: OfferPart[]) => ({ parts, uncertain });

describe("the offer of a minute", () => {
  it.each([
    ["", EMPTY_OFFER],
    ["0.004:2:45000", offer(0, part("0.004", 2, 45_000))],
    ["0.004:2:45000;0.008:1:9000;?:500", offer(500, part("0.004", 2, 45_000), part("0.008", 1, 9000))],
    ["?:60000", offer(60_000)],
  ])("is stored as %j and read again", (stored, value) => {
    expect(formatOffer(value)).toBe(stored);
    expect(parseOffer(stored)).toEqual(value);
  });

  it("adds up parts of the same spread and number, with spreads rounded up", () => {
    const sum = joinOffers(
      offer(100, part("0.0040001", 2, 1000), part("0.008", 2, 9000)),
      offer(50, part("0.0040009", 2, 500), part("0.004001", 1, 300)),
    );
    expect(formatOffer(sum)).toBe("0.008:2:9000;0.004001:2:1500;0.004001:1:300;?:150");
  });

  it("joins the shortest of many parts to the wider spread and the fewer orders", () => {
    const parts = Array.from({ length: 9 }, (_, index) => part(`0.00${index + 1}`, 9 - index, 9000 - index));
    const { parts: joined } = joinOffers(EMPTY_OFFER, offer(0, ...parts));
    expect(joined).toHaveLength(6);
    expect(joined.reduce((sum, { millis }) => sum + millis, 0)).toBe(9 * 9000 - 36);
    expect(joined).toContainEqual(part("0.009", 1, 8992 + 8993 + 8994 + 8995));
  });

  it("lasts as long as its parts; without one, the sample counts for the minute", () => {
    const known = offer(1000, part("0.01", 1, 300), part("0.02", 1, 200));
    expect(twoSidedMillis({ offer: known, ownSpread: null })).toBe(500);
    expect(twoSidedMillis({ offer: null, ownSpread: d("0.01") })).toBe(MINUTE);
    expect(twoSidedMillis({ offer: null, ownSpread: null })).toBe(0);
  });
});
