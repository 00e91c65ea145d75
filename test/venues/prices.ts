/** The price of each symbol over time, and the depth, trades and candles that go with it. */

import type { PricePath } from "../../src/adapters/sandbox/matching.ts";
import { depthAt, MAX_SIMULATED_LEVELS } from "../../src/adapters/sandbox/venue.ts";
import { type Decimal, divideWhole } from "../../src/kernel/decimal.ts";
import { mixHash, pseudorandomShare } from "../../src/kernel/hash.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { Corner } from "../../src/market/matching.ts";
import type { Book, BookLevel, Market } from "../../src/model/market.ts";
import type { Listing } from "./catalog.ts";

export interface Prices {
  now(symbol: Pair): Decimal;
  set(symbol: Pair, price: Decimal): void;
  /** As a path in ticks: the price stays until the next one is set. */
  path(symbol: Pair): PricePath;
  /** Of pairs whose book is thin and random: what it is drawn by. */
  readonly thin: Map<Pair, number>;
}

const HOURLY_NOTIONAL = 2_000_000;

export function createPrices(listings: ReadonlyMap<Pair, Listing>, clock: () => Millis): Prices {
  const histories = new Map<Pair, Corner[]>();
  const ticksOf = ({ tick }: Listing, price: Decimal) => Number(divideWhole(price, tick, "half"));
  const history = (symbol: Pair): Corner[] => {
    const found = histories.get(symbol);
    if (found) return found;
    const listing = listings.get(symbol) as Listing;
    const made = [{ at: 0, ticks: ticksOf(listing, listing.start) }];
    histories.set(symbol, made);
    return made;
  };
  const at = (symbol: Pair, time: Millis) =>
    (history(symbol).findLast((corner) => corner.at <= time) ?? (history(symbol)[0] as Corner)).ticks;
  const within = (symbol: Pair, from: Millis, to: Millis) =>
    history(symbol).filter((corner) => corner.at > from && corner.at < to);
  return {
    thin: new Map(),
    now: (symbol) =>
      BigInt((history(symbol).at(-1) as Corner).ticks) * (listings.get(symbol) as Listing).tick,
    set: (symbol, price) =>
      history(symbol).push({ at: clock(), ticks: ticksOf(listings.get(symbol) as Listing, price) }),
    path: (symbol) => ({
      at: (time) => at(symbol, time),
      corners: (from, to) => within(symbol, from, to),
      inside: (from, to) => within(symbol, from, to).map(({ ticks }) => ticks),
      volume: (from, to) =>
        ((to - from) / 3_600_000) *
        (HOURLY_NOTIONAL / (Number((listings.get(symbol) as Listing).start) / 1e18)),
    }),
  };
}

export const marketOf = (listing: Listing): Market => ({ ...listing, buyFeeIn: "base" });

/** What other people have on offer around the price. */
export function ambient(listing: Listing, prices: Prices, at: Millis): Book {
  const book = depthAt(marketOf(listing), prices.path(listing.symbol).at(at), at, MAX_SIMULATED_LEVELS);
  const seed = prices.thin.get(listing.symbol);
  return seed === undefined ? book : thinned(book, mixHash(seed, Math.floor(at / 1000)));
}

/** A level in forty or so, each with a fiftieth of its amount: the nearest of a side may lie anywhere within 0.5 %. */
function thinned({ bids, asks, at }: Book, seed: number): Book {
  const side = (levels: readonly BookLevel[], from: number) => {
    const nearest = Math.floor(pseudorandomShare(seed, from) * 50);
    return levels
      .filter(
        (_, place) =>
          place === nearest || (place > nearest && pseudorandomShare(seed, from + place + 1) < 0.025),
      )
      .map(({ price, amount }) => ({ price, amount: amount / 50n + 1n }));
  };
  return { bids: side(bids, 0), asks: side(asks, 1000), at };
}
