import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createListings, replayPath } from "../../../src/adapters/sandbox/listings.ts";
import { fillResting, generatedPath, type ListedPath } from "../../../src/adapters/sandbox/matching.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import { ZERO } from "../../../src/kernel/decimal.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { applied, type BookedOrder, type VenueBooks } from "../../../src/market/matching/placing.ts";
import { d } from "../../support/grid.ts";
import { START } from "../../support/sandbox.ts";
import { most } from "../../support/whole.ts";
import { fillWalkingAll } from "./every-corner.ts";

const SYMBOLS: readonly Pair[] = ["BTC/USDT", "ADA/USDT"];
const LEAST = START - HOUR;
const MOST = 6 * HOUR;

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
  meetsFrom: fc.integer({ min: 0, max: MOST }),
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
      price: BigInt(Math.max(1, path.at(LEAST + meetsFrom) + ticks * unit)) * market.tick,
      amount: BigInt(lots) * market.lot,
      filled: ZERO,
      notional: ZERO,
      reserved: ZERO,
      fee: { asset: "USDT", amount: ZERO },
      fills: 0,
      status: "open",
      at: LEAST,
      // Some rest since before what was settled, some only since a part of it was filled.
      meetsFrom: LEAST + (place % 3 === 0 ? meetsFrom : 0),
    };
  });
  return {
    version: 1,
    settledAt: LEAST,
    open,
    holdings: { USDT: { total: d("1000000"), used: ZERO } },
  };
}

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
          let at = LEAST;
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
      fillResting(books, LEAST + 4 * HOUR, () => counted, { fill: "touch", parts: true }),
    ).toBeUndefined();
    expect(walks).toBe(1);
  });
});
