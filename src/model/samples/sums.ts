/** Sums over the minutes of a sampled pair. Sums of two spans add up, so a mean over both is exact. */
import { type Decimal, decimal, divideWhole, max, min, ONE, sum, ZERO } from "../../kernel/decimal.ts";
import { meanOfKnown } from "../../kernel/spread.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { ExactSum } from "../order.ts";
import {
  type Absence,
  BANDS,
  type Depths,
  type LiquidityMinute,
  type MissedMinute,
  type Sides,
  twoSidedMillis,
} from "./sample.ts";

/** Minutes in ascending order; `to` is excluded. */
export interface Minutes {
  readonly from: number;
  readonly to: number;
  /** The known minutes. */
  readonly rows: readonly LiquidityMinute[];
}

/** Sum and count of the known values. */
export interface Total {
  readonly sum: Decimal;
  readonly count: number;
}

/** Sums for own orders or for the whole book: spreads as shares of 1, depth in quote. */
export interface OfferSums {
  readonly spread: Total;
  readonly depth: Sides<Depths> & { readonly count: number };
}

export interface LiquiditySums {
  readonly known: number;
  readonly samples: number;
  readonly cutShort: number;
  /** Other venues with a price, over the minutes in which their number is known. */
  readonly sources: { readonly sum: number; readonly count: number };
  readonly deviation: Total;
  readonly own: OfferSums;
  readonly market: OfferSums;
  readonly slippage: SlippageSums;
  /** Whether any minute has an own order. */
  readonly isOffering: boolean;
  /** Time with own orders on both sides, and further time in which that is uncertain. */
  readonly twoSided: Millis;
  readonly uncertain: Millis;
  /** Number of minutes with the times of own orders; in the others, the sample counts for the minute. */
  readonly timed: number;
}

/** Consecutive minutes without a row, or without own orders on both sides; `to` is excluded. A null cause is not recorded. */
export interface MinuteRun {
  readonly from: number;
  readonly to: number;
  readonly what: "unseen" | "absent";
  readonly cause: Absence | null;
}

/** One UTC day, counted from 1970. */
export interface DaySums {
  readonly day: number;
  readonly sums: LiquiditySums;
  readonly runs: readonly MinuteRun[];
  readonly hours: readonly HourFigures[];
  /** Time that keeps each rule, by the rule's key. */
  readonly up: Readonly<Record<string, number>>;
  /** Number of missed minutes. */
  readonly missed: number;
  /** SHA-256 of the minutes as a table; null without minutes. */
  readonly hash: string | null;
}

const NO_TOTAL: Total = { sum: ZERO, count: 0 };
const NO_DEPTHS: Depths = [ZERO, ZERO, ZERO];
const NO_OFFER: OfferSums = { spread: NO_TOTAL, depth: { bids: NO_DEPTHS, asks: NO_DEPTHS, count: 0 } };

/** Market orders whose average slippage is estimated, in quote. */
export const TRADE_SIZES: readonly Decimal[] = ["100", "1000", "10000", "100000"].map(decimal);

const NO_SIZE: SizeSlippage = { least: ZERO, most: ZERO, ended: 0 };
const NO_SLIPPAGE: SlippageSums = { sides: 0, sizes: TRADE_SIZES.map(() => NO_SIZE) };

export const NO_SUMS: LiquiditySums = {
  known: 0,
  samples: 0,
  cutShort: 0,
  sources: { sum: 0, count: 0 },
  deviation: NO_TOTAL,
  own: NO_OFFER,
  market: NO_OFFER,
  isOffering: false,
  twoSided: 0,
  uncertain: 0,
  timed: 0,
  slippage: NO_SLIPPAGE,
};

export function minuteSums(rows: readonly LiquidityMinute[]): LiquiditySums {
  const sources = rows.flatMap((row) => row.sources ?? []);
  return {
    known: rows.length,
    samples: rows.reduce((count, { samples }) => count + samples, 0),
    cutShort: rows.filter(({ isCutShort }) => isCutShort).length,
    sources: { sum: sources.reduce((all, count) => all + count, 0), count: sources.length },
    deviation: totalOfKnown(rows.map(({ deviation }) => deviation)),
    own: offerOf(
      rows.map(({ ownSpread }) => ownSpread),
      rows.map(({ ownDepth }) => ownDepth),
    ),
    market: offerOf(
      rows.map(({ spread }) => spread),
      rows.map(({ depth }) => depth),
    ),
    slippage: slippageSums(rows),
    isOffering: rows.some(({ ownOrders: { bids, asks } }) => bids + asks > 0),
    twoSided: rows.reduce((all, row) => all + twoSidedMillis(row), 0),
    uncertain: rows.reduce((all, { offer }) => all + (offer?.uncertain ?? 0), 0),
    timed: rows.filter(({ offer }) => offer !== null).length,
  };
}

function totalOfKnown(values: readonly (Decimal | null)[]): Total {
  const known = values.filter((value) => value !== null);
  return { sum: sum(known), count: known.length };
}

function offerOf(spreads: readonly (Decimal | null)[], depths: readonly (Sides<Depths> | null)[]): OfferSums {
  const known = depths.filter((depth) => depth !== null);
  const over = (side: "bids" | "asks"): Depths => {
    const at = (band: 0 | 1 | 2) => sum(known.map((depth) => depth[side][band]));
    return [at(0), at(1), at(2)];
  };
  return {
    spread: totalOfKnown(spreads),
    depth: { bids: over("bids"), asks: over("asks"), count: known.length },
  };
}

const addTotals = (a: Total, b: Total): Total => ({ sum: a.sum + b.sum, count: a.count + b.count });
const addDepths = (a: Depths, b: Depths): Depths => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const addOffers = (a: OfferSums, b: OfferSums): OfferSums => ({
  spread: addTotals(a.spread, b.spread),
  depth: {
    bids: addDepths(a.depth.bids, b.depth.bids),
    asks: addDepths(a.depth.asks, b.depth.asks),
    count: a.depth.count + b.depth.count,
  },
});

const addSlippage = (a: SlippageSums, b: SlippageSums): SlippageSums => ({
  sides: a.sides + b.sides,
  sizes: a.sizes.map((size, index) => {
    const { least, most, ended } = b.sizes[index] ?? NO_SIZE;
    return { least: size.least + least, most: size.most + most, ended: size.ended + ended };
  }),
});

export const addSums = (a: LiquiditySums, b: LiquiditySums): LiquiditySums => ({
  known: a.known + b.known,
  samples: a.samples + b.samples,
  cutShort: a.cutShort + b.cutShort,
  sources: { sum: a.sources.sum + b.sources.sum, count: a.sources.count + b.sources.count },
  deviation: addTotals(a.deviation, b.deviation),
  own: addOffers(a.own, b.own),
  market: addOffers(a.market, b.market),
  slippage: addSlippage(a.slippage, b.slippage),
  isOffering: a.isOffering || b.isOffering,
  twoSided: a.twoSided + b.twoSided,
  uncertain: a.uncertain + b.uncertain,
  timed: a.timed + b.timed,
});

/** Returns sum ÷ count, rounded down; null without values. */
export const meanOfTotal = ({ sum: all, count }: Total): Decimal | null =>
  count === 0 ? null : all / BigInt(count);

const isMostlyTwoSided = (row: LiquidityMinute): boolean =>
  row.offer ? 2 * twoSidedMillis(row) >= MINUTE : row.ownOrders.bids > 0 && row.ownOrders.asks > 0;

/** Returns runs of minutes in ascending order; each run has one cause. */
export function runsIn({ from, to, rows }: Minutes, misses: readonly MissedMinute[]): MinuteRun[] {
  const known = new Map(rows.map((row) => [row.minute, row]));
  const missed = new Map(misses.map(({ minute, cause }) => [minute, cause]));
  const runs: MinuteRun[] = [];
  for (let minute = from; minute < to; minute++) {
    const row = known.get(minute);
    if (row && isMostlyTwoSided(row)) continue;
    const what = row ? "absent" : "unseen";
    const cause = (row ? row.absence : missed.get(minute)) ?? null;
    const last = runs.at(-1);
    if (last?.to === minute && last.what === what && last.cause === cause)
      runs[runs.length - 1] = { ...last, to: minute + 1 };
    else runs.push({ from: minute, to: minute + 1, what, cause });
  }
  return runs;
}

/** Own orders by UTC hour. */
export const MINUTES_PER_HOUR = 60;

/** An hour with samples. */
export interface HourFigures {
  /** Counted from 1970. */
  readonly hour: number;
  readonly known: number;
  /** Time with own orders on both sides. */
  readonly twoSided: Millis;
  /** Mean spread of own orders, and their mean depth within 2 % of the mid, in quote; null if unknown. */
  readonly spread: Decimal | null;
  readonly bids: Decimal | null;
  readonly asks: Decimal | null;
}

/** Returns the hours of consecutive minutes. An hour without a sample has no figures. */
export function hoursIn(rows: readonly LiquidityMinute[]): HourFigures[] {
  const hours = new Map<number, LiquidityMinute[]>();
  for (const row of rows) {
    const hour = Math.floor(row.minute / MINUTES_PER_HOUR);
    const known = hours.get(hour);
    if (known) known.push(row);
    else hours.set(hour, [row]);
  }
  return [...hours].map(([hour, ofHour]) => ({
    hour,
    known: ofHour.length,
    twoSided: ofHour.reduce((all, row) => all + twoSidedMillis(row), 0),
    spread: meanOfKnown(ofHour.map(({ ownSpread }) => ownSpread)),
    bids: meanOfKnown(ofHour.map(({ ownDepth }) => ownDepth?.bids[2] ?? null)),
    asks: meanOfKnown(ofHour.map(({ ownDepth }) => ownDepth?.asks[2] ?? null)),
  }));
}

/** Sums over minutes and both sides, in quote: size × slippage. */
interface SizeSlippage {
  readonly least: Decimal;
  /** Over the sides whose stored depth is enough. */
  readonly most: Decimal;
  /** Number of sides whose stored depth ends before the order is filled. */
  readonly ended: number;
}

/**
 * Average slippage of a market order, for each of `TRADE_SIZES`: the distance of its fills from the mid, as a mean weighted by their quote amount.
 * A minute has only the depth within bands, so the slippage is between two bounds. Where the stored depth ends, there is
 * no upper bound.
 */
export interface SlippageSums {
  /** Number of sides: two for each minute with a mid and a depth. */
  readonly sides: number;
  readonly sizes: readonly SizeSlippage[];
}

type BookMinute = Pick<LiquidityMinute, "spread" | "depth" | "isCutShort">;

export function slippageSums(rows: readonly BookMinute[]): SlippageSums {
  const sides = rows.flatMap(({ spread, depth, isCutShort }) => {
    if (spread === null || depth === null) return [];
    const of = { half: spread / 2n, isCutShort };
    return [
      { depths: depth.bids, ...of },
      { depths: depth.asks, ...of },
    ];
  });
  return { sides: sides.length, sizes: TRADE_SIZES.map((size) => slippageOfSize(sides, size)) };
}

interface SideDepths {
  readonly depths: Depths;
  /** Distance of its best price from the mid. */
  readonly half: Decimal;
  /** The exchange's response can end inside the widest band. */
  readonly isCutShort: boolean;
}

function slippageOfSize(sides: readonly SideDepths[], size: Decimal): SizeSlippage {
  let [least, most, ended]: [ExactSum, ExactSum, number] = [0n, 0n, 0];
  for (const side of sides) {
    const bounds = slippageBounds(side, size);
    least += bounds.least;
    if (bounds.most === null) ended++;
    else most += bounds.most;
  }
  return { least: divideWhole(least, ONE, "down"), most: divideWhole(most, ONE, "up"), ended };
}

/** Returns size × slippage: with every order of a band at its near edge, and at its far one. */
function slippageBounds({ depths, half, isCutShort }: SideDepths, size: Decimal) {
  let [least, most, filled]: [ExactSum, ExactSum, Decimal] = [0n, 0n, ZERO];
  let near = half;
  for (const [band, far] of BANDS.entries()) {
    const amount = min(size, depths[band as 0 | 1 | 2]) - filled;
    if (amount <= ZERO) continue;
    // The best price is in the first band with orders.
    near = filled === ZERO ? half : (BANDS[band - 1] ?? half);
    least += amount * near;
    most += amount * max(near, far);
    filled += amount;
  }
  if (filled === size) return { least, most };
  // Orders that a response left out can be in its last band.
  const rest = (size - filled) * (isCutShort ? near : max(half, BANDS[2]));
  return { least: least + rest, most: null };
}
