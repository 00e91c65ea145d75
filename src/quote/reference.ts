/** What a pair is worth to somebody who quotes it: of several places, each trusted as far as it deserves. */
import { abs, type Decimal, mul, ZERO } from "../kernel/decimal.ts";
import { midOf } from "../kernel/spread.ts";
import type { Millis } from "../kernel/time.ts";

/** One place's price, in quote per base. */
export interface PriceSource {
  readonly source: string;
  /** Undefined where it gave none. */
  readonly price: Decimal | undefined;
  /** When it was so; null for a price that somebody has fixed, which never ages. */
  readonly at: Millis | null;
  /** Older than this it is not asked. */
  readonly maxAge: Millis;
  /** Its vote among the others; one of no weight never counts. */
  readonly weight: Decimal;
  /** Farther than this share from the median of all that are fresh it does not count; null trusts it anywhere. */
  readonly collar: Decimal | null;
}

export type Uncounted = "missing" | "stale" | "early" | "weightless" | "beyond_collar";

export interface SourceView {
  readonly source: string;
  readonly price: Decimal | null;
  /** Null of a fixed price, and where there is none. */
  readonly age: Millis | null;
  readonly weight: Decimal;
  /** Null where it counts. */
  readonly because: Uncounted | null;
}

export interface ReferencePrice {
  /** Null where no source counts: then nothing is quoted. */
  readonly price: Decimal | null;
  readonly sources: readonly SourceView[];
}

/** The median, by weight, of what is there, fresh and within its collar. An order of the sources never matters. */
export function referencePrice(sources: readonly PriceSource[], now: Millis): ReferencePrice {
  const sourceViews = sources.map((one) => describeSource(one, now));
  const center = weightedMedian(sourceViews.flatMap(voteOf));
  const held = sourceViews.map((one, index) => withCollar(one, sources[index]?.collar ?? null, center));
  return { price: weightedMedian(held.flatMap(voteOf)) ?? null, sources: held };
}

/** A clock may be ahead of another one by so much. */
const EARLIEST: Millis = 5000;

function describeSource({ source, price, at, maxAge, weight }: PriceSource, now: Millis): SourceView {
  const isThere = price !== undefined && price > ZERO;
  const age = isThere && at !== null ? now - at : null;
  const result = { source, price: isThere ? price : null, age, weight };
  if (!isThere) return { ...result, because: "missing" };
  if (weight <= ZERO) return { ...result, because: "weightless" };
  if (age !== null && age > maxAge) return { ...result, because: "stale" };
  return { ...result, because: age !== null && age < -EARLIEST ? "early" : null };
}

function withCollar(one: SourceView, collar: Decimal | null, center: Decimal | undefined): SourceView {
  if (one.because !== null || one.price === null || collar === null || center === undefined) return one;
  return abs(one.price - center) > mul(center, collar, "down") ? { ...one, because: "beyond_collar" } : one;
}

const voteOf = ({ price, weight, because }: SourceView): Vote[] =>
  because === null && price !== null ? [{ price, weight }] : [];

interface Vote {
  readonly price: Decimal;
  readonly weight: Decimal;
}

/** The price below and above which lies half of the weight; the mean of two where the half falls between them. */
export function weightedMedian(votes: readonly Vote[]): Decimal | undefined {
  const sorted = [...votes].sort((a, b) => (a.price < b.price ? -1 : a.price > b.price ? 1 : 0));
  const whole = sorted.reduce((sum, { weight }) => sum + weight, ZERO);
  let below = ZERO;
  for (const [index, { price, weight }] of sorted.entries()) {
    below += weight;
    if (2n * below > whole) return price;
    if (2n * below === whole) return midOf({ bid: price, ask: sorted[index + 1]?.price ?? price });
  }
  return undefined;
}
