import { type Decimal, max, roundToStep } from "../../kernel/decimal.ts";
import { hashText, mixHash, pseudorandomShare } from "../../kernel/hash.ts";
import type { Pair } from "../../kernel/pair.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import {
  type BookChange,
  type BookedFill,
  type BookedOrder,
  between,
  type Corner,
  crossing,
  execute,
  holdingsAfter,
  type Movement,
  type VenueBooks,
} from "../../market/matching.ts";
import type { Market } from "../../model/market.ts";

/** How simulated orders fill. */
export interface MatchingRules {
  /** `touch` fills when the price reaches the order's price, `cross` when it passes it. */
  readonly fill: "touch" | "cross";
  /** Whether some orders fill in two parts. */
  readonly parts: boolean;
}

export interface ListedPath {
  readonly market: Market;
  readonly path: PricePath;
}

export type Listings = (symbol: string) => ListedPath | undefined;

/** After a partial fill, the rest waits for the next quarter of a minute. */
const BUCKET: Millis = 15 * SECOND;
const PART_SHARE = 0.125;

interface Met extends ListedPath {
  readonly course: Course;
}

/**
 * Matches open orders with the price up to `until`, in time order. Undefined if none fills. Each symbol's price range
 * is computed once, and only the orders within it are checked further.
 */
export function fillResting(
  books: VenueBooks,
  until: Millis,
  listings: Listings,
  rules: MatchingRules,
): BookChange | undefined {
  const met = new Map<Pair, Met | undefined>();
  const moved: Movement[] = [];
  for (const order of books.open) {
    if (!met.has(order.symbol)) {
      const listed = listings(order.symbol);
      const span = { from: books.settledAt, until };
      met.set(order.symbol, listed && { ...listed, course: courseOf(listed, span) });
    }
    const meets = met.get(order.symbol);
    if (!meets || !mayTouch(meets.course, order)) continue;
    const { after, fills } = filledBy(order, meets, rules);
    if (fills.length > 0) moved.push({ market: meets.market, before: order, after, fills });
  }
  if (moved.length === 0) return undefined;
  return {
    settledAt: until,
    orders: moved.map(({ after }) => after),
    fills: moved.flatMap(({ fills }) => fills).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
    holdings: holdingsAfter(books.holdings, moved),
  };
}

function filledBy(
  order: BookedOrder,
  met: Met,
  rules: MatchingRules,
): { after: BookedOrder; fills: BookedFill[] } {
  const { market } = met;
  let after = order;
  const fills: BookedFill[] = [];
  while (after.filled < after.amount) {
    const at = meeting(after, met, rules);
    if (at === undefined) break;
    const amount = meetingAmount(after, market, at, rules);
    const executed = execute(after, market, { price: after.price, amount, rate: market.maker, at });
    fills.push(executed.fill);
    after = { ...executed.order, meetsFrom: (Math.floor(at / BUCKET) + 1) * BUCKET };
  }
  return { after, fills };
}

// One in eight orders gets half of its amount first; it depends only on the order, so every process decides the same.
function meetingAmount(order: BookedOrder, { lot }: Market, at: Millis, { parts }: MatchingRules) {
  const rest = order.amount - order.filled;
  const whole =
    !parts || order.fills > 0 || pseudorandomShare(hashText(order.id), Math.floor(at / BUCKET)) >= PART_SHARE;
  return whole ? rest : max(lot, roundToStep(rest / 2n, lot, "down"));
}

/** Returns the first time of the span at which the price is good enough for the order. */
function meeting(
  { side, price, meetsFrom }: BookedOrder,
  { market, path, course: { from, until, corners } }: Met,
  { fill }: MatchingRules,
): Millis | undefined {
  const start = Math.max(from, meetsFrom);
  if (start > until) return undefined;
  const limit = Number(price / market.tick) + (fill === "touch" ? 0 : side === "buy" ? -1 : 1);
  const good = side === "buy" ? (ticks: number) => ticks <= limit : (ticks: number) => ticks >= limit;
  let last: Corner = { at: start, ticks: path.at(start) };
  if (good(last.ticks)) return start;
  for (const corner of corners) {
    if (corner.at <= start) continue;
    if (good(corner.ticks)) return crossing(last, corner, good);
    last = corner;
  }
  return undefined;
}

/** The price from one time to another, both inclusive. */
interface Course {
  readonly from: Millis;
  readonly until: Millis;
  /** The price at the start, at each turning point, and at the end. */
  readonly corners: readonly Corner[];
  readonly lowest: Decimal;
  readonly highest: Decimal;
}

function courseOf(
  { market, path }: { readonly market: Market; readonly path: PricePath },
  { from, until }: { readonly from: Millis; readonly until: Millis },
): Course {
  const corners = [
    { at: from, ticks: path.at(from) },
    ...path.corners(from, until),
    { at: until, ticks: path.at(until) },
  ];
  let [lowest, highest] = [Number.POSITIVE_INFINITY, 0];
  for (const { ticks } of corners) {
    if (ticks < lowest) lowest = ticks;
    if (ticks > highest) highest = ticks;
  }
  return {
    from,
    until,
    corners,
    lowest: BigInt(lowest) * market.tick,
    highest: BigInt(highest) * market.tick,
  };
}

/**
 * Returns false only for an order that cannot meet the price; true for each one that was open for only part of the
 * time.
 */
const mayTouch = (
  { from, lowest, highest }: Course,
  { side, price, meetsFrom }: Pick<BookedOrder, "side" | "price" | "meetsFrom">,
): boolean => meetsFrom > from || (side === "buy" ? price >= lowest : price <= highest);

/** The price of one symbol on one venue as a function of market time: straight lines between turning points. */
export interface PricePath {
  at(time: Millis): number;
  /** Returns turning points strictly between the two times, in order. */
  corners(from: Millis, to: Millis): Corner[];
  /** Returns prices strictly between the two times, enough for a candle's high and low. */
  inside(from: Millis, to: Millis): number[];
  /** Returns the base traded in [from, to). */
  volume(from: Millis, to: Millis): number;
}

export interface Shock {
  readonly at: Millis;
  readonly factor: number;
}

interface Generated {
  readonly seed: number;
  readonly symbol: string;
  readonly venue: string;
  /** The path passes through `ticks` at `at`, except for the venue's small difference. */
  readonly anchor: Corner;
  /** Standard deviation of an hourly return. */
  readonly volatility: number;
  /** Average base traded per hour. */
  readonly hourlyVolume: number;
  readonly shocks: readonly Shock[];
}

const PATH_STEP = 15 * SECOND;
const OCTAVES = 15;
const FIRST_PERIOD = 30 * SECOND;
const VENUE_PERIOD = 10 * 60 * SECOND;
const VENUE_SHARE = 0.0004;

/**
 * Fractal value noise: octaves of period T and amplitude proportional to √T add up to a path whose return over a time
 * Δ has a standard deviation proportional to √Δ, like a price's. It is a function of time, so every process computes
 * the same price.
 */
export function generatedPath({
  seed,
  symbol,
  venue,
  anchor,
  volatility,
  hourlyVolume,
  shocks,
}: Generated): PricePath {
  const common = mixHash(hashText(symbol), seed);
  // Octave sums give σ² = 2c²Δ for amplitude c√T.
  const scale = volatility / Math.sqrt((2 * HOUR) / SECOND);
  const octaves = Array.from({ length: OCTAVES }, (_, octave) => {
    const period = FIRST_PERIOD * 2 ** octave;
    return noise(mixHash(common, octave), period, scale * Math.sqrt(period / SECOND));
  });
  const own = noise(mixHash(common, hashText(venue)), VENUE_PERIOD, VENUE_SHARE);
  const volumes = mixHash(common, hashText(`${venue} volume`));
  const exponent = (time: Millis) => octaves.reduce((total, octave) => total + octave(time), 0);
  const zero = exponent(anchor.at);
  const calm = memoized((index: number) => {
    const at = index * PATH_STEP;
    return Math.max(1, Math.round(anchor.ticks * exponential(exponent(at) - zero) * (1 + own(at))));
  });
  const at = (time: Millis): number => {
    const index = Math.floor(time / PATH_STEP);
    const from = { at: index * PATH_STEP, ticks: calm(index) };
    const to = { at: from.at + PATH_STEP, ticks: calm(index + 1) };
    const factor = shocks.reduce((all, shock) => (shock.at <= time ? all * shock.factor : all), 1);
    return Math.max(1, Math.round(between(from, to, time) * factor));
  };
  const corners = (from: Millis, to: Millis): Corner[] => {
    // A shock is a jump, not a slope from the corner before it: what was shown earlier may not change.
    const times = shocks.flatMap((shock) => [shock.at - 1, shock.at]).filter((one) => from < one && one < to);
    for (let index = Math.floor(from / PATH_STEP) + 1; index * PATH_STEP < to; index++)
      times.push(index * PATH_STEP);
    if (shocks.length > 0) times.sort((a, b) => a - b);
    return [...new Set(times)].map((time) => ({ at: time, ticks: at(time) }));
  };
  return {
    at,
    corners,
    inside: (from, to) =>
      to - from <= MAX_EXACT_CANDLE_MS ? corners(from, to).map(({ ticks }) => ticks) : sampled(at, from, to),
    volume: (from, to) =>
      ((to - from) / HOUR) * hourlyVolume * (0.5 + pseudorandomShare(volumes, Math.floor(from / HOUR))),
  };
}

/**
 * Longest candle that is computed exactly; longer ones are sampled, because a week has 40,000 turning points and
 * anybody can request a thousand weeks.
 */
const MAX_EXACT_CANDLE_MS: Millis = 5 * MINUTE;
const SAMPLES = 6;

export function sampled(at: (time: Millis) => number, from: Millis, to: Millis): number[] {
  const step = (to - from) / SAMPLES;
  return Array.from({ length: SAMPLES - 1 }, (_, index) => at(Math.floor(from + (index + 1) * step)));
}

/** Returns a value in ±amplitude, random at multiples of the period and linear between them. */
export function noise(hash: number, period: Millis, amplitude: number): (time: Millis) => number {
  const value = (index: number) => (pseudorandomShare(hash, index) * 2 - 1) * amplitude;
  return (time) => {
    const index = Math.floor(time / period);
    const left = value(index);
    return left + ((value(index + 1) - left) * (time - index * period)) / period;
  };
}

/** Caches the last few thousand values, because neighbors are read repeatedly. */
function memoized(compute: (index: number) => number): (place: number) => number {
  const known = new Map<number, number>();
  return (place) => {
    const found = known.get(place);
    if (found !== undefined) return found;
    if (known.size > 4096) known.clear();
    const value = compute(place);
    known.set(place, value);
    return value;
  };
}

// e^x from multiplications alone: Math.exp may differ in its last digit from one engine to the next.
function exponential(exponent: number): number {
  let power = 1 + exponent / 1024;
  for (let squared = 0; squared < 10; squared++) power *= power;
  return power;
}
