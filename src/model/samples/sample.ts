/** An order book's liquidity at one moment: the market's, and separately that of own orders. */
import {
  abs,
  type Decimal,
  decimal,
  div,
  max,
  min,
  mul,
  ONE,
  sum,
  text,
  ZERO,
} from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { spreadOf } from "../../kernel/spread.ts";
import { DAY, MINUTE, type Millis } from "../../kernel/time.ts";
import type { Book, BookLevel, Side } from "../market.ts";
import type { Order, OrderTerms } from "../order.ts";

/** Distances from the mid price within which depth is counted, as shares of the mid. */
export const BANDS = [decimal("0.005"), decimal("0.01"), decimal("0.02")] as const;
export type DepthBand = 0 | 1 | 2;

/** Depth in quote within each band; null if unknown. */
export type Depths = readonly [Decimal, Decimal, Decimal];

export interface Sides<T> {
  readonly bids: T;
  readonly asks: T;
}

export interface LiquiditySample {
  readonly at: Millis;
  /** (ask − bid)/mid of the whole book; null if a side is empty or the book is crossed. */
  readonly spread: Decimal | null;
  /** The same for own best orders; null unless both sides have orders. */
  readonly ownSpread: Decimal | null;
  /** Number of own open orders. */
  readonly ownOrders: Sides<number>;
  /** Within the bands around the book's mid, or around the reference if there is no mid; null for orders without either. */
  readonly ownDepth: Sides<Depths> | null;
  /** Depth of all orders, including own ones; also null if the book was not read. */
  readonly depth: Sides<Depths> | null;
  /** The exchange returned so few levels that the book ends inside the widest band; the depth is a lower bound. */
  readonly isCutShort: boolean;
  /** Median price of the other sources; null if none has a price. */
  readonly reference: Decimal | null;
  /** Number of sources with a price; null if unknown. */
  readonly sources: number | null;
  readonly mid: Decimal | null;
  /** Why own orders are missing on a side; null if none are missing or it is unknown. */
  readonly absence: Absence | null;
}

/** Why there are no own orders: an exchange problem, insufficient funds, a pause, or an internal fault. */
export const ABSENCES = ["exchange", "funds", "pause", "ours"] as const;
export type Absence = (typeof ABSENCES)[number];

/** What an exchange returns of a book: best bid and ask only, or levels, at most `limit` per side. */
interface SampleInput {
  readonly at: Millis;
  readonly bid: Decimal | undefined;
  readonly ask: Decimal | undefined;
  readonly book?: Pick<Book, "bids" | "asks"> | undefined;
  readonly limit?: number;
  readonly reference: Decimal | null;
  readonly sources?: number | null;
}

export function sampleBook(input: SampleInput, own: readonly OrderTerms[]): LiquiditySample {
  const { at, book, limit, reference, sources = 0 } = input;
  const [bid, ask] = [book ? book.bids[0]?.price : input.bid, book ? book.asks[0]?.price : input.ask];
  const best = bid && ask && bid < ask ? spreadOf({ bid, ask }) : undefined;
  const around = best?.mid ?? reference;
  const mine = {
    bids: own.filter(({ side }) => side === "buy"),
    asks: own.filter(({ side }) => side === "sell"),
  };
  return {
    at,
    spread: best ? best.spreadPercent / 100n : null,
    ownSpread: ownSpreadOf(mine),
    ownOrders: { bids: mine.bids.length, asks: mine.asks.length },
    ownDepth: depthsAround(mine, around),
    depth: book ? depthsAround(book, around) : null,
    isCutShort:
      book !== undefined && around !== null && limit !== undefined && endsInside(book, around, limit),
    reference,
    sources,
    mid: best?.mid ?? null,
    absence: null,
  };
}

/**
 * Returns own orders as the book shows them, with at most `limit` levels per side. An order that is not at its price
 * has filled or ended; a smaller amount means a partial fill. Orders beyond the last level of a cut book count as
 * unchanged.
 */
export function ownLevels(
  book: Pick<Book, "bids" | "asks">,
  orders: readonly Pick<Order, "side" | "price" | "amount" | "filled">[],
  limit: number,
): OrderTerms[] {
  const left = new Map<string, Decimal>();
  return orders.flatMap(({ side, price, amount: whole, filled }): OrderTerms[] => {
    const levels = side === "buy" ? book.bids : book.asks;
    const last = levels.length >= limit ? levels.at(-1)?.price : undefined;
    if (last !== undefined && (side === "buy" ? price < last : price > last))
      return [{ side, price, amount: whole - filled }];
    const key = `${side} ${price}`;
    const shown = left.get(key) ?? levels.find((level) => level.price === price)?.amount ?? ZERO;
    const amount = min(whole - filled, shown);
    left.set(key, shown - amount);
    return amount > ZERO ? [{ side, price, amount }] : [];
  });
}

/** Returns (ask − bid)/mid of the best orders; null if a side is empty. */
export function ownSpreadOf({ bids, asks }: Sides<readonly Pick<OrderTerms, "price">[]>): Decimal | null {
  if (bids.length === 0 || asks.length === 0) return null;
  const bid = bids.map(({ price }) => price).reduce(max);
  const ask = asks.map(({ price }) => price).reduce(min);
  return spreadOf({ bid, ask }).spreadPercent / 100n;
}

// Without a division, so bounds are exact.
const isInsideBand = (
  side: Side,
  price: Decimal,
  { mid, band }: { readonly mid: Decimal; readonly band: Decimal },
): boolean => (side === "buy" ? price * ONE >= mid * (ONE - band) : price * ONE <= mid * (ONE + band));

/** Without a price, the depth is known only if there are no orders. */
const depthsAround = (
  { bids, asks }: Sides<readonly BookLevel[]>,
  mid: Decimal | null,
): Sides<Depths> | null =>
  mid === null && bids.length + asks.length > 0
    ? null
    : { bids: depthWithin("buy", bids, mid ?? ZERO), asks: depthWithin("sell", asks, mid ?? ZERO) };

/** Returns Σ price × amount of the levels within each band around the mid, edges included. */
export function depthWithin(side: Side, levels: readonly BookLevel[], mid: Decimal): Depths {
  const [a, b, c] = BANDS.map((band) =>
    sum(
      levels
        .filter(({ price }) => isInsideBand(side, price, { mid, band }))
        .map(({ price, amount }) => mul(price, amount, "down")),
    ),
  );
  return [a ?? ZERO, b ?? ZERO, c ?? ZERO];
}

/** Returns whether a side was returned in full length, and its last level is still inside the widest band. */
const endsInside = ({ bids, asks }: Pick<Book, "bids" | "asks">, mid: Decimal, limit: number): boolean =>
  (["buy", "sell"] as const).some((side) => {
    const levels = side === "buy" ? bids : asks;
    const last = levels.at(-1);
    return (
      last !== undefined && levels.length >= limit && isInsideBand(side, last.price, { mid, band: BANDS[2] })
    );
  });

/**
 * Stored liquidity samples: one row per minute, with the worst values of that minute. Samples are merged by minimum and
 * maximum only, so a repeated or late sample changes nothing.
 */
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
export const MINUTES_PER_DAY = DAY / MINUTE;
export const dayOfMinute = (minute: number): number => Math.floor(minute / MINUTES_PER_DAY);

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

const bothKnown = <T>(a: T | null, b: T | null, join: (a: T, b: T) => T): T | null =>
  a === null || b === null ? null : join(a, b);

const bySide = <T>(a: Sides<T>, b: Sides<T>, join: (a: T, b: T) => T): Sides<T> => ({
  bids: join(a.bids, b.bids),
  asks: join(a.asks, b.asks),
});

const leastDepths = (a: Sides<Depths>, b: Sides<Depths>): Sides<Depths> =>
  bySide(a, b, (x, y): Depths => [min(x[0], y[0]), min(x[1], y[1]), min(x[2], y[2])]);

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

/** A part of a minute in which the own spread and the number of own orders were at most and at least this. */
export interface OfferPart {
  readonly spread: Decimal;
  /** Own orders on the side with fewer of them. */
  readonly levels: number;
  readonly millis: Millis;
}

/**
 * How long own orders were on both sides within a minute, from the times at which orders opened and ended. In the rest
 * of it, a side was empty.
 */
export interface MinuteOffer {
  readonly parts: readonly OfferPart[];
  /** Time in which it is uncertain whether both sides had orders. */
  readonly uncertain: Millis;
}

export const EMPTY_OFFER: MinuteOffer = { parts: [], uncertain: 0 };

/** Spreads are rounded up to this, so equal offers are stored once. */
const SPREAD_STEP: Decimal = ONE / 1_000_000n;
/** Maximum number of parts that are stored. */
const MAX_OFFER_PARTS = 6;

/** Adds parts of a minute. Of too many, the two shortest become one with the wider spread and the fewer orders. */
export function joinOffers(a: MinuteOffer, b: MinuteOffer): MinuteOffer {
  const parts: OfferPart[] = [];
  for (const part of [...a.parts, ...b.parts]) {
    const spread = ((part.spread + SPREAD_STEP - 1n) / SPREAD_STEP) * SPREAD_STEP;
    const same = parts.findIndex((one) => one.spread === spread && one.levels === part.levels);
    const millis = part.millis + (parts[same]?.millis ?? 0);
    parts.splice(same < 0 ? parts.length : same, 1, { spread, levels: part.levels, millis });
  }
  parts.sort((x, y) => y.millis - x.millis);
  while (parts.length > MAX_OFFER_PARTS) {
    const [x, y] = parts.splice(-2) as [OfferPart, OfferPart];
    const levels = Math.min(x.levels, y.levels);
    parts.push({ spread: max(x.spread, y.spread), levels, millis: x.millis + y.millis });
  }
  return { parts, uncertain: a.uncertain + b.uncertain };
}

/** Formats parts as spread:levels:millis, and a last part ?:millis of uncertain time, with semicolons between them. */
export const formatOffer = ({ parts, uncertain }: MinuteOffer): string =>
  [
    ...parts.map(({ spread, levels, millis }) => `${text(spread)}:${levels}:${millis}`),
    ...(uncertain > 0 ? [`?:${uncertain}`] : []),
  ].join(";");

export function parseOffer(stored: string): MinuteOffer {
  const parts: OfferPart[] = [];
  let uncertain = 0;
  for (const part of stored === "" ? [] : stored.split(";")) {
    const [spread = "", levels, millis] = part.split(":");
    if (spread === "?") uncertain = Number(levels);
    else parts.push({ spread: decimal(spread), levels: Number(levels), millis: Number(millis) });
  }
  return { parts, uncertain };
}

/** Returns for how long both sides had orders in a minute; by its sample alone if the times are unknown. */
export const twoSidedMillis = ({
  offer,
  ownSpread,
}: {
  readonly offer: MinuteOffer | null;
  readonly ownSpread: Decimal | null;
}): Millis =>
  offer ? offer.parts.reduce((sum, { millis }) => sum + millis, 0) : ownSpread === null ? 0 : MINUTE;
