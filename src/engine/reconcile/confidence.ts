import { abs, type Decimal, div, max, min, ONE, ZERO } from "../../kernel/decimal.ts";
import { medianOf, midOf } from "../../kernel/spread.ts";
import { ageOf, MINUTE, type Millis } from "../../kernel/time.ts";
import type { BidAsk } from "../../model/market.ts";
import type { Confidence } from "../../model/memory.ts";
import type { Reference } from "../../ports/venue.ts";

/** A mid price at this distance from the other venues' median has zero confidence. */
const FARTHEST_FROM_REFERENCE: Decimal = ONE / 20n;
const REQUESTED_EVERY: Millis = MINUTE;
const OLD_QUOTE: Millis = MINUTE;
/** How long the last value is valid when no source responds. */
const LASTS: Millis = 5 * MINUTE;

/** Returns 1 − d ÷ 5 %, at least 0, rounded down; d is the mid's distance from the others' median as a share of it. */
export function agreement(mid: Decimal, others: readonly Decimal[]): Decimal | undefined {
  const median = medianOf(others);
  if (median === undefined || median <= ZERO) return undefined;
  const distance = div(abs(mid - median), median, "up");
  return max(ZERO, ONE - div(distance, FARTHEST_FROM_REFERENCE, "up"));
}

/** Returns whether the other sources were queried less than a minute ago. */
export const isRecent = (known: Confidence | undefined, now: Millis): known is Confidence =>
  known !== undefined && ageOf(known.requestedAt, now) < REQUESTED_EVERY;

/** Returns the confidence in a mid price after a query of the other sources. */
export function confidenceFrom(
  { prices, listed, maxConfidence }: Reference,
  { mid, last, now }: { mid: Decimal; last: Confidence | undefined; now: Millis },
): Confidence {
  const times = { at: now, requestedAt: now };
  const value = agreement(
    mid,
    prices.map(({ price }) => price),
  );
  if (value !== undefined) {
    const source = `the median of ${prices.map(({ source: one }) => one).join(", ")}`;
    return { value: maxConfidence === null ? value : min(value, maxConfidence), source, ...times };
  }
  if (!listed) return { value: ONE, source: "no other exchange lists the pair", ...times };
  if (last && last.value > ZERO && ageOf(last.at, now) <= LASTS) return { ...last, requestedAt: now };
  return { value: ZERO, source: "no other exchange responds", ...times };
}

/** Returns the current confidence: zero if the best bid and ask are older than a minute. */
export const confidenceNow = (
  known: Confidence,
  { quote, now }: { quote: BidAsk; now: Millis },
): Confidence =>
  now - quote.at > OLD_QUOTE
    ? { ...known, value: ZERO, source: "the best bid and ask are older than a minute" }
    : known;

/** Returns the confidence in a quote that was just read. */
export const confidenceAt = (
  quote: BidAsk,
  { reference, last, now }: { reference: Reference; last?: Confidence | undefined; now: Millis },
): Confidence => confidenceNow(confidenceFrom(reference, { mid: midOf(quote), last, now }), { quote, now });
