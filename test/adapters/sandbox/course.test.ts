import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createListings, replayPath } from "../../../src/adapters/sandbox/listings.ts";
import {
  fillResting,
  generatedPath,
  type ListedPath,
  type Listings,
  type MatchingRules,
} from "../../../src/adapters/sandbox/matching.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import { decimal, max, roundToStep, ZERO } from "../../../src/kernel/decimal.ts";
import { hashText, pseudorandomShare } from "../../../src/kernel/hash.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../../../src/kernel/time.ts";
import {
  applied,
  type BookChange,
  type BookedFill,
  type BookedOrder,
  type Corner,
  crossing,
  execute,
  holdingsAfter,
  type VenueBooks,
} from "../../../src/market/matching.ts";
import { d } from "../../support/grid.ts";
import { START } from "../../support/sandbox.ts";
import { most } from "../../support/whole.ts";

const SYMBOLS: readonly Pair[] = ["BTC/USDT", "ADA/USDT"];
const MIN_START = START - HOUR;
const MAX_DELAY_MS = 6 * HOUR;

/** A generated price, and candles that begin and end within the time that is looked at. */
function listingsOf(seed: number, replayed: readonly number[]): (symbol: string) => ListedPath | undefined {
  const listings = createListings({ seed, origin: START, replays: new Map() });
  const bars = replayed.map((ticks, place) => ({
    at: START + place * MINUTE,
    open: String(60_000 + ticks),
    high: String(60_050 + ticks),
    low: String(59_950 + ticks),
    close: String(60_020 + ticks),
    volume: 1,
  }));
  return (symbol) => {
    const listed = listings("kraken", symbol as Pair, {});
    if (!listed || symbol !== "BTC/USDT" || bars.length === 0) return listed;
    const candles = candlesOf({ pair: symbol, spanMillis: MINUTE }, bars);
    const { tick } = listed.market;
    const before = { symbol, venue: "replay", volatility: 0.006, hourlyVolume: 30, shocks: [] };
    return {
      ...listed,
      path: replayPath(candles, tick, (anchor) => generatedPath({ seed, anchor, ...before })),
    };
  };
}

interface Rested {
  readonly symbol: Pair;
  readonly side: "buy" | "sell";
  /** Away from the price of its time. */
  readonly ticks: number;
  readonly lots: number;
  readonly meetsFrom: number;
}

const rested = fc.record<Rested>({
  symbol: fc.constantFrom(...SYMBOLS),
  side: fc.constantFrom("buy", "sell"),
  ticks: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -400, max: 400 })),
  lots: fc.integer({ min: 1, max: 9 }),
  meetsFrom: fc.integer({ min: 0, max: MAX_DELAY_MS }),
});

function booksOf(orders: readonly Rested[], listings: ReturnType<typeof listingsOf>): VenueBooks {
  const open = orders.map(({ symbol, side, ticks, lots, meetsFrom }, place): BookedOrder => {
    const { market, path } = listings(symbol) as ListedPath;
    const unit = symbol === "BTC/USDT" ? 100 : 1;
    return {
      id: String(1000 + place),
      clientId: `c${place}`,
      symbol,
      side,
      type: "limit",
      price: BigInt(Math.max(1, path.at(MIN_START + meetsFrom) + ticks * unit)) * market.tick,
      amount: BigInt(lots) * market.lot,
      filled: ZERO,
      notional: ZERO,
      reserved: ZERO,
      fee: { asset: "USDT", amount: ZERO },
      fills: 0,
      status: "open",
      at: MIN_START,
      // Some rest since before what was settled, some only since a part of it was filled.
      meetsFrom: MIN_START + (place % 3 === 0 ? meetsFrom : 0),
    };
  });
  return {
    version: 1,
    settledAt: MIN_START,
    open,
    holdings: { USDT: { total: d("1000000"), used: ZERO } },
  };
}

const BUCKET: Millis = 15 * SECOND;

describe("the price course of a bar", () => {
  it("fills the same orders as a walk over every price point: same amounts, order and times", () => {
    const looks = fc.array(
      fc.oneof(fc.integer({ min: 0, max: 90 * SECOND }), fc.integer({ min: 0, max: 4 * HOUR })),
      { minLength: 1, maxLength: 8 },
    );
    let filled = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.array(fc.integer({ min: -300, max: 300 }), { maxLength: 90 }),
        fc.array(rested, { minLength: 1, maxLength: 30 }),
        looks,
        fc.record({ fill: fc.constantFrom("touch", "cross"), parts: fc.boolean() }),
        (seed, bars, orders, spans, rules) => {
          const listings = listingsOf(seed, bars);
          let books = booksOf(orders, listings);
          let at = MIN_START;
          for (const span of spans) {
            at += span;
            const change = fillResting(books, at, listings, rules);
            expect(change).toEqual(fillWalkingAll(books, at, listings, rules));
            filled += change?.fills.length ?? 0;
            if (change) books = applied(books, change);
          }
        },
      ),
      { numRuns: most(500, 60) },
    );
    expect(filled).toBeGreaterThan(most(500, 60));
  });

  it("requests a symbol's price points once, however many orders are open", () => {
    const listings = listingsOf(1, []);
    const { market, path } = listings("ADA/USDT") as ListedPath;
    let walks = 0;
    const counted: ListedPath = {
      market,
      path: {
        ...path,
        corners: (from, to) => {
          walks++;
          return path.corners(from, to);
        },
      },
    };
    const far = Array.from({ length: 500 }, (_, place): Rested => {
      const side = place % 2 ? "buy" : "sell";
      return { symbol: "ADA/USDT", side, ticks: side === "buy" ? -2000 : 2000, lots: 1, meetsFrom: 0 };
    });
    const books = booksOf(far, listings);
    expect(
      fillResting(books, MIN_START + 4 * HOUR, () => counted, { fill: "touch", parts: true }),
    ).toBeUndefined();
    expect(walks).toBe(1);
  });
});

/** What resting orders meet, where each walks every corner for itself: what the quick way is held against. */
function fillWalkingAll(
  books: VenueBooks,
  until: Millis,
  listings: Listings,
  rules: MatchingRules,
): BookChange | undefined {
  const moved = books.open.flatMap((before) => {
    const listed = listings(before.symbol);
    if (!listed) return [];
    const { after, fills } = walked(before, listed, { from: books.settledAt, until }, rules);
    return fills.length === 0 ? [] : [{ market: listed.market, before, after, fills }];
  });
  if (moved.length === 0) return undefined;
  return {
    settledAt: until,
    orders: moved.map(({ after }) => after),
    fills: moved.flatMap(({ fills }) => fills).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
    holdings: holdingsAfter(books.holdings, moved),
  };
}

interface Span {
  readonly from: Millis;
  readonly until: Millis;
}

function walked(order: BookedOrder, { market, path }: ListedPath, span: Span, rules: MatchingRules) {
  let after = order;
  const fills: BookedFill[] = [];
  while (after.filled < after.amount) {
    const at = meeting(after, { market, path }, span, rules);
    if (at === undefined) break;
    const rest = after.amount - after.filled;
    const whole =
      !rules.parts ||
      after.fills > 0 ||
      pseudorandomShare(hashText(after.id), Math.floor(at / BUCKET)) >= 0.125;
    const amount = whole ? rest : max(market.lot, roundToStep(rest / 2n, market.lot, "down"));
    const executed = execute(after, market, { price: after.price, amount, rate: market.maker, at });
    fills.push(executed.fill);
    after = { ...executed.order, meetsFrom: (Math.floor(at / BUCKET) + 1) * BUCKET };
  }
  return { after, fills };
}

function meeting(
  order: BookedOrder,
  { market, path }: ListedPath,
  { from, until }: Span,
  { fill }: MatchingRules,
): Millis | undefined {
  const start = Math.max(from, order.meetsFrom);
  if (start > until) return undefined;
  const limit = Number(order.price / market.tick) + (fill === "touch" ? 0 : order.side === "buy" ? -1 : 1);
  const good = order.side === "buy" ? (ticks: number) => ticks <= limit : (ticks: number) => ticks >= limit;
  let last: Corner = { at: start, ticks: path.at(start) };
  if (good(last.ticks)) return start;
  for (const corner of [...path.corners(start, until), { at: until, ticks: path.at(until) }]) {
    if (good(corner.ticks)) return crossing(last, corner, good);
    last = corner;
  }
  return undefined;
}

const make = (over: object = {}) =>
  generatedPath({
    seed: 1,
    symbol: "BTC/USDT",
    venue: "kraken",
    anchor: { at: START, ticks: 6_000_000 },
    volatility: 0.006,
    hourlyVolume: 30,
    shocks: [],
    ...over,
  });

const times = fc.integer({ min: START - 30 * DAY, max: START + 30 * DAY });

describe("a generated price", () => {
  it("is a function of seed, symbol and time: the same for every caller, in any order", () => {
    const one = make();
    fc.assert(
      fc.property(fc.array(times, { minLength: 1, maxLength: 20 }), (requests) => {
        const other = make();
        expect(
          [...requests]
            .reverse()
            .map((at) => other.at(at))
            .reverse(),
        ).toEqual(requests.map((at) => one.at(at)));
      }),
    );
  });

  it("starts at the listing's price, with a small difference per venue", () => {
    for (const venue of ["mexc", "gateio", "bitget", "kraken"]) {
      expect(Math.abs(make({ venue }).at(START) / 6_000_000 - 1)).toBeLessThan(0.0005);
    }
  });

  it("moves with the configured hourly volatility", () => {
    const path = make();
    const returns = Array.from({ length: 2000 }, (_, i) =>
      Math.log(path.at(START + (i + 1) * HOUR) / path.at(START + i * HOUR)),
    );
    const deviation = Math.sqrt(returns.reduce((sum, one) => sum + one * one, 0) / returns.length);
    expect(deviation).toBeGreaterThan(0.004);
    expect(deviation).toBeLessThan(0.008);
  });

  it("differs by seed and by symbol", () => {
    const at = START + 5 * HOUR;
    expect(
      new Set([make(), make({ seed: 2 }), make({ symbol: "ETH/USDT" })].map((path) => path.at(at))).size,
    ).toBe(3);
  });

  it("jumps by a shock's factor from its time on", () => {
    const [before, after] = [START + HOUR, START + 2 * HOUR];
    const shocked = make({ shocks: [{ at: before + 10 * MINUTE, factor: 0.9 }] });
    expect(shocked.at(before)).toBe(make().at(before));
    expect(shocked.at(after) / make().at(after)).toBeCloseTo(0.9, 6);
  });

  it("is the same as before up to the millisecond of a shock, wherever in a step that is", () => {
    fc.assert(
      fc.property(times, fc.double({ min: 0.1, max: 3, noNaN: true }), (at, factor) => {
        const shocked = make({ shocks: [{ at, factor }] });
        for (const earlier of [at - 1, at - 10_000, at - MINUTE])
          expect(shocked.at(earlier)).toBe(make().at(earlier));
        expect(shocked.at(at)).toBe(Math.max(1, Math.round(make().at(at) * factor)));
        const corners = shocked.corners(at - MINUTE, at + MINUTE);
        for (const { at: time, ticks } of corners) expect(ticks).toBe(shocked.at(time));
        expect(corners.map((one) => one.at).filter((time) => Math.abs(time - at) < 2)).toEqual(
          expect.arrayContaining([at - 1, at]),
        );
      }),
    );
  });
});

describe("a replayed price", () => {
  const first = Date.UTC(2022, 0, 1);
  const file = candlesOf({ pair: "BTC/USDT", spanMillis: MINUTE }, [
    { at: first, open: "100", high: "104", low: "98", close: "101", volume: 5 },
    { at: first + MINUTE, open: "101", high: "103", low: "100", close: "102", volume: 7 },
    { at: first + 2 * MINUTE, open: "102", high: "102", low: "102", close: "102", volume: 1 },
  ]);
  const path = replayPath(file, decimal("0.01"), (anchor) => make({ anchor }));

  it("follows each candle: open, high, low, close", () => {
    expect(path.corners(first - 1, first + MINUTE).map(({ ticks }) => ticks)).toEqual([
      10_000, 10_400, 9800, 10_100,
    ]);
  });

  it("stays at the last price at the end", () => {
    expect([first + 3 * MINUTE, first + DAY].map((at) => path.at(at))).toEqual([10_200, 10_200]);
  });

  it("leads up to the first candle", () => {
    expect(Math.abs(path.at(first - 1) / 10_000 - 1)).toBeLessThan(0.002);
    expect(path.corners(first - HOUR, first).length).toBeGreaterThan(100);
  });

  it("uses the file's volume", () => {
    expect([path.volume(first, first + MINUTE), path.volume(first, first + DAY)]).toEqual([5, 13]);
  });
});
