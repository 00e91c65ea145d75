/** Computes a reference price from several sources with weights, maximum ages and collars. */
import { abs, type Decimal, mul, ZERO } from "../kernel/decimal.ts";
import { midOf } from "../kernel/spread.ts";
import type { Millis } from "../kernel/time.ts";

/** The price of one source, in quote per base. */
export interface PriceSource {
  readonly source: string;
  /** Undefined if the source returned none. */
  readonly price: Decimal | undefined;
  /** Time of the price; null for a fixed price, which never ages. */
  readonly at: Millis | null;
  /** An older price does not count. */
  readonly maxAge: Millis;
  /** Its weight in the median; a source with weight zero never counts. */
  readonly weight: Decimal;
  /** Maximum distance from the median of all fresh prices, as a share of it; null for any distance. */
  readonly collar: Decimal | null;
}

export type UncountedReason = "missing" | "stale" | "early" | "weightless" | "beyond_collar";

interface SourceView {
  readonly source: string;
  readonly price: Decimal | null;
  /** Null for a fixed price, and without a price. */
  readonly age: Millis | null;
  readonly weight: Decimal;
  /** Null if it counts. */
  readonly because: UncountedReason | null;
}

export interface ReferencePrice {
  /** Null if no source counts; then nothing is quoted. */
  readonly price: Decimal | null;
  readonly sources: readonly SourceView[];
}

/**
 * Returns the weighted median of the prices that are fresh and within their collar. The order of the sources does not
 * matter.
 */
export function referencePrice(sources: readonly PriceSource[], now: Millis): ReferencePrice {
  const sourceViews = sources.map((source) => describeSource(source, now));
  const center = weightedMedian(sourceViews.flatMap(voteOf));
  const collared = sourceViews.map((sourceView, index) =>
    withCollar(sourceView, sources[index]?.collar ?? null, center),
  );
  return { price: weightedMedian(collared.flatMap(voteOf)) ?? null, sources: collared };
}

/** Maximum difference between two clocks. */
const MAX_CLOCK_LEAD_MS: Millis = 5000;

function describeSource({ source, price, at, maxAge, weight }: PriceSource, now: Millis): SourceView {
  const isThere = price !== undefined && price > ZERO;
  const age = isThere && at !== null ? now - at : null;
  const result = { source, price: isThere ? price : null, age, weight };
  if (!isThere) return { ...result, because: "missing" };
  if (weight <= ZERO) return { ...result, because: "weightless" };
  if (age !== null && age > maxAge) return { ...result, because: "stale" };
  return { ...result, because: age !== null && age < -MAX_CLOCK_LEAD_MS ? "early" : null };
}

function withCollar(sourceView: SourceView, collar: Decimal | null, center: Decimal | undefined): SourceView {
  if (sourceView.because !== null || sourceView.price === null || collar === null || center === undefined)
    return sourceView;
  return abs(sourceView.price - center) > mul(center, collar, "down")
    ? { ...sourceView, because: "beyond_collar" }
    : sourceView;
}

const voteOf = ({ price, weight, because }: SourceView): Vote[] =>
  because === null && price !== null ? [{ price, weight }] : [];

interface Vote {
  readonly price: Decimal;
  readonly weight: Decimal;
}

/** Returns the price with half of the weight on each side; the mean of two prices if the half falls between them. */
function weightedMedian(votes: readonly Vote[]): Decimal | undefined {
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
