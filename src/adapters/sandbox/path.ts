import { hashText, mix, share } from "../../kernel/hash.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import { between, type Corner } from "../../market/matching/corner.ts";

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

export interface Generated {
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
  const common = mix(hashText(symbol), seed);
  // Octave sums give σ² = 2c²Δ for amplitude c√T.
  const scale = volatility / Math.sqrt((2 * HOUR) / SECOND);
  const octaves = Array.from({ length: OCTAVES }, (_, octave) => {
    const period = FIRST_PERIOD * 2 ** octave;
    return noise(mix(common, octave), period, scale * Math.sqrt(period / SECOND));
  });
  const own = noise(mix(common, hashText(venue)), VENUE_PERIOD, VENUE_SHARE);
  const volumes = mix(common, hashText(`${venue} volume`));
  const exponent = (time: Millis) => octaves.reduce((total, octave) => total + octave(time), 0);
  const zero = exponent(anchor.at);
  const corner = memoized((index: number) => {
    const at = index * PATH_STEP;
    const shocked = shocks.reduce((factor, shock) => (shock.at <= at ? factor * shock.factor : factor), 1);
    const price = anchor.ticks * exponential(exponent(at) - zero) * (1 + own(at)) * shocked;
    return Math.max(1, Math.round(price));
  });
  const at = (time: Millis): number => {
    const index = Math.floor(time / PATH_STEP);
    return between(
      { at: index * PATH_STEP, ticks: corner(index) },
      { at: (index + 1) * PATH_STEP, ticks: corner(index + 1) },
      time,
    );
  };
  const corners = (from: Millis, to: Millis): Corner[] => {
    const found: Corner[] = [];
    for (let index = Math.floor(from / PATH_STEP) + 1; index * PATH_STEP < to; index++) {
      found.push({ at: index * PATH_STEP, ticks: corner(index) });
    }
    return found;
  };
  return {
    at,
    corners,
    inside: (from, to) =>
      to - from <= LONGEST_WALKED ? corners(from, to).map(({ ticks }) => ticks) : sampled(at, from, to),
    volume: (from, to) =>
      ((to - from) / HOUR) * hourlyVolume * (0.5 + share(volumes, Math.floor(from / HOUR))),
  };
}

/**
 * Longest candle that is computed exactly; longer ones are sampled, because a week has 40,000 turning points and
 * anybody can request a thousand weeks.
 */
const LONGEST_WALKED: Millis = 5 * MINUTE;
const SAMPLES = 6;

export function sampled(at: (time: Millis) => number, from: Millis, to: Millis): number[] {
  const step = (to - from) / SAMPLES;
  return Array.from({ length: SAMPLES - 1 }, (_, index) => at(Math.floor(from + (index + 1) * step)));
}

/** Returns a value in ±amplitude, random at multiples of the period and linear between them. */
export function noise(hash: number, period: Millis, amplitude: number): (time: Millis) => number {
  const value = (index: number) => (share(hash, index) * 2 - 1) * amplitude;
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
