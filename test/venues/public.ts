/** Public figures of one pair, from which each dialect makes its own answers. */

import { candlesAt, tickerAt, tradesAt } from "../../src/adapters/sandbox/venue.ts";
import { max, min, text } from "../../src/kernel/decimal.ts";
import { DAY, type Millis } from "../../src/kernel/time.ts";
import type { Book, BookLevel, Candle, Whole } from "../../src/model/market.ts";
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

/** Which candles an exchange answers with; `until` is the last opening time, `keep` what a limit leaves of them. */
export interface CandleWindow {
  readonly span: Millis;
  readonly limit: number;
  readonly since?: Millis | undefined;
  readonly until?: Millis | undefined;
  readonly keep: "oldest" | "newest";
}

/** Ascending, the last one under way. Of a pair with a history, those that it has and no others. */
export function candlesOf(
  engine: Engine,
  listing: Listing,
  now: Millis,
  window: CandleWindow,
): Whole<Candle>[] {
  const { span, limit, since, keep } = window;
  const until = Math.min(window.until ?? now, now);
  const isFromSince = since !== undefined && keep === "oldest";
  const history = engine.histories.get(listing.symbol);
  if (history) {
    const rows = joined(
      history.map((one) => ({ ...one, volume: one.volume ?? 0n })),
      span,
      now,
    ).filter(({ at }) => at >= (since ?? 0) && at <= until);
    return isFromSince ? rows.slice(0, limit) : rows.slice(-limit);
  }
  const newest = Math.floor(until / span) * span;
  const earliest = newest - (limit - 1) * span;
  const requestCount = since === undefined ? earliest : Math.ceil(since / span) * span;
  const first = isFromSince ? requestCount : Math.max(requestCount, earliest);
  const count = Math.min(limit, (newest - first) / span + 1);
  const path = engine.prices.path(listing.symbol);
  return candlesAt(marketOf(listing), path, now, { span, limit: Math.max(0, count), since: first });
}

/** Minutes that have begun, as candles of a longer span: one where nobody traded is missing. */
function joined(minutes: readonly Whole<Candle>[], span: Millis, now: Millis): Whole<Candle>[] {
  const made: Whole<Candle>[] = [];
  for (const minute of minutes) {
    if (minute.at > now) break;
    const at = Math.floor(minute.at / span) * span;
    const last = made.at(-1);
    if (last?.at !== at) made.push({ ...minute, at });
    else
      made[made.length - 1] = {
        ...last,
        high: max(last.high, minute.high),
        low: min(last.low, minute.low),
        close: minute.close,
        volume: last.volume + minute.volume,
      };
  }
  return made;
}
