/** Public figures of one pair, from which each dialect makes its own answers. */

import { candlesAt, tickerAt, tradesAt } from "../../src/adapters/sandbox/prints.ts";
import { text } from "../../src/kernel/decimal.ts";
import { DAY, type Millis } from "../../src/kernel/time.ts";
import type { Book, BookLevel, CandleRange } from "../../src/ports/deps.ts";
import type { Listing } from "./catalog.ts";
import type { Engine } from "./engine.ts";
import { ambient, marketOf } from "./prices.ts";

/** Other people's depth and all that rests, best first. */
export function bookOf(engine: Engine, listing: Listing, at: Millis): Book {
  const { bids, asks } = ambient(listing, engine.prices, at);
  const resting = engine.resting(listing.symbol);
  const side = (levels: readonly BookLevel[], which: "buy" | "sell"): BookLevel[] => {
    const amounts = new Map(levels.map(({ price, amount }) => [price, amount]));
    for (const order of resting) {
      if (order.side === which)
        amounts.set(order.price, (amounts.get(order.price) ?? 0n) + order.amount - order.filled);
    }
    const sorted = [...amounts].sort(([a], [b]) => (a === b ? 0 : a < b === (which === "sell") ? -1 : 1));
    return sorted.map(([price, amount]) => ({ price, amount }));
  };
  return { bids: side(bids, "buy"), asks: side(asks, "sell"), at };
}

export const levelTexts = (levels: readonly BookLevel[], limit: number): [string, string][] =>
  levels.slice(0, limit).map(({ price, amount }) => [text(price), text(amount)]);

export function figuresOf(engine: Engine, listing: Listing, at: Millis) {
  const { bids, asks } = bookOf(engine, listing, at);
  const path = engine.prices.path(listing.symbol);
  const day = candlesAt(marketOf(listing), path, at, { span: DAY, limit: 1 })[0];
  const ticker = tickerAt(marketOf(listing), path, at);
  const bid = bids[0] as BookLevel;
  const ask = asks[0] as BookLevel;
  return {
    ...ticker,
    bid,
    ask,
    open: day?.open ?? ticker.last,
    high: day?.high ?? ticker.last,
    low: day?.low ?? ticker.last,
  };
}

export const tradesOf = (engine: Engine, listing: Listing, at: Millis, limit: number) =>
  tradesAt(marketOf(listing), engine.prices.path(listing.symbol), at, limit);

export const candlesOf = (engine: Engine, listing: Listing, at: Millis, range: CandleRange) =>
  candlesAt(marketOf(listing), engine.prices.path(listing.symbol), at, range);
