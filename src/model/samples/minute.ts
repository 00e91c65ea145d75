/** Stored liquidity samples: one row per minute, with the worst values of that minute. */
import { abs, type Decimal, div, max, min } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { DAY, MINUTE, type Millis } from "../../kernel/time.ts";
import type { MinuteOffer } from "./offer.ts";
import { ABSENCES, type Absence, type Depths, type LiquiditySample, type Sides } from "./sample.ts";

/** Samples are merged by minimum and maximum only, so a repeated or late sample changes nothing. */
export interface LiquidityMinute {
  /** UTC minute, counted from 1970. */
  readonly minute: number;
  readonly samples: number;
  /** Widest spread of the minute; null if a side was empty at any moment. */
  readonly spread: Decimal | null;
  readonly ownSpread: Decimal | null;
  readonly ownOrders: Sides<number>;
  /** Smallest depth of the minute; null if it was unknown at any moment. */
  readonly ownDepth: Sides<Depths> | null;
  readonly depth: Sides<Depths> | null;
  readonly isCutShort: boolean;
  /** Maximum of |mid − reference| ÷ reference; null if either was unknown at any moment. */
  readonly deviation: Decimal | null;
  /** Minimum number of other sources with a price; null if unknown at any moment. */
  readonly sources: number | null;
  /** Why own orders were missing on a side at some moment; null if none were missing or it is unknown. */
  readonly absence: Absence | null;
  /** How long own orders were on both sides, from their times; null if passes did not observe the whole minute. */
  readonly offer: MinuteOffer | null;
}

/** A minute of a sampled pair whose own orders passes observed. */
export interface OfferedMinute extends Pick<MissedMinute, "minute"> {
  readonly symbol: Pair;
  readonly offer: MinuteOffer;
}

/** A minute in which the order book could not be read, and why. */
export interface MissedMinute {
  readonly minute: number;
  readonly cause: Absence;
}

export const minuteOf = (at: Millis): number => Math.floor(at / MINUTE);
/** Number of minutes in a UTC day. */
export const MINUTES_A_DAY = DAY / MINUTE;
export const dayOfMinute = (minute: number): number => Math.floor(minute / MINUTES_A_DAY);

const minuteFrom = (sample: LiquiditySample): LiquidityMinute => ({
  minute: minuteOf(sample.at),
  samples: 1,
  spread: sample.spread,
  ownSpread: sample.ownSpread,
  ownOrders: sample.ownOrders,
  ownDepth: sample.ownDepth,
  depth: sample.depth,
  isCutShort: sample.isCutShort,
  deviation:
    sample.mid !== null && sample.reference
      ? div(abs(sample.mid - sample.reference), sample.reference, "half")
      : null,
  sources: sample.sources,
  absence: sample.absence,
  offer: null,
});

/** Merges two samples of one minute. */
export const joinMinutes = (a: LiquidityMinute, b: LiquidityMinute): LiquidityMinute => ({
  minute: a.minute,
  samples: a.samples + b.samples,
  spread: bothKnown(a.spread, b.spread, max),
  ownSpread: bothKnown(a.ownSpread, b.ownSpread, max),
  ownOrders: bySide(a.ownOrders, b.ownOrders, (x, y) => Math.min(x, y)),
  ownDepth: bothKnown(a.ownDepth, b.ownDepth, leastDepths),
  depth: bothKnown(a.depth, b.depth, leastDepths),
  isCutShort: a.isCutShort || b.isCutShort,
  deviation: bothKnown(a.deviation, b.deviation, max),
  sources: bothKnown(a.sources, b.sources, Math.min),
  // In a fixed order, so the order of the samples does not matter.
  absence: ABSENCES.find((one) => one === a.absence || one === b.absence) ?? null,
  offer: null,
});

const bothKnown = <T>(a: T | null, b: T | null, join: (a: T, b: T) => T): T | null =>
  a === null || b === null ? null : join(a, b);

const bySide = <T>(a: Sides<T>, b: Sides<T>, join: (a: T, b: T) => T): Sides<T> => ({
  bids: join(a.bids, b.bids),
  asks: join(a.asks, b.asks),
});

const leastDepths = (a: Sides<Depths>, b: Sides<Depths>): Sides<Depths> =>
  bySide(a, b, (x, y): Depths => [min(x[0], y[0]), min(x[1], y[1]), min(x[2], y[2])]);

/** Merges samples by minute, ascending. A minute without a sample has no row: it is unknown, neither good nor bad. */
export function foldSamples(samples: readonly LiquiditySample[]): LiquidityMinute[] {
  const minutes = new Map<number, LiquidityMinute>();
  for (const sample of samples) {
    const liquidityMinute = minuteFrom(sample);
    const before = minutes.get(liquidityMinute.minute);
    minutes.set(liquidityMinute.minute, before ? joinMinutes(before, liquidityMinute) : liquidityMinute);
  }
  return [...minutes.values()].sort((a, b) => a.minute - b.minute);
}
