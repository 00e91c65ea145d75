/** What a book offers at one moment: the market's, and apart from it what is one's own. */
import { type Decimal, decimal, max, min, mul, ONE, sum, ZERO } from "../../kernel/decimal.ts";
import { spreadOf } from "../../kernel/spread.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Book, BookLevel, Side } from "../market.ts";
import type { Order } from "../order.ts";

/** Distances from the mid within which depth is counted, as shares of it. */
export const BANDS = [decimal("0.005"), decimal("0.01"), decimal("0.02")] as const;
export type DepthBand = 0 | 1 | 2;

/** In quote, for each of the bands; null where nobody knows. */
export type Depths = readonly [Decimal, Decimal, Decimal];

export interface Sides<T> {
  readonly bids: T;
  readonly asks: T;
}

export interface LiquiditySample {
  readonly at: Millis;
  /** (ask − bid)/mid of the whole book; null where a side is empty, or the book crossed. */
  readonly spread: Decimal | null;
  /** The same of one's own best orders; null unless both sides rest. */
  readonly ownSpread: Decimal | null;
  /** Orders of one's own that rest. */
  readonly ownOrders: Sides<number>;
  /** Within the bands around the book's mid, or around the reference where it has none; null without either. */
  readonly ownDepth: Sides<Depths> | null;
  /** Everybody's, one's own included; null where the book was not read. */
  readonly depth: Sides<Depths> | null;
  /** The book was told so short that it ends inside the widest band: what is counted is at least so much. */
  readonly isCutShort: boolean;
  /** The median of what other places say; null where none has. */
  readonly reference: Decimal | null;
  /** How many have; null where nobody knows whether there are any. */
  readonly sources: number | null;
  readonly mid: Decimal | null;
  /** Why one's own orders are not on both sides; null where they are, or nobody knows. */
  readonly absence: Absence | null;
}

/** Why nothing of one's own is offered: the exchange, insufficient funds, on purpose, or a fault of our own. */
export const ABSENCES = ["exchange", "funds", "pause", "ours"] as const;
export type Absence = (typeof ABSENCES)[number];

export interface OwnOrder {
  readonly side: Side;
  readonly price: Decimal;
  /** Of it that rests, in base. */
  readonly amount: Decimal;
}

/** What an exchange tells of a book: best bid and ask alone, or levels, at most `limit` a side. */
export interface SampleSeen {
  readonly at: Millis;
  readonly bid: Decimal | undefined;
  readonly ask: Decimal | undefined;
  readonly book?: Pick<Book, "bids" | "asks"> | undefined;
  readonly limit?: number;
  readonly reference: Decimal | null;
  readonly sources?: number | null;
}

export function sampleBook(seen: SampleSeen, own: readonly OwnOrder[]): LiquiditySample {
  const { at, book, limit, reference, sources = 0 } = seen;
  const [bid, ask] = [book ? book.bids[0]?.price : seen.bid, book ? book.asks[0]?.price : seen.ask];
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
    ownDepth: around === null ? null : depthsOf(mine, around),
    depth: book && around !== null ? depthsOf(book, around) : null,
    isCutShort:
      book !== undefined && around !== null && limit !== undefined && endsInside(book, around, limit),
    reference,
    sources,
    mid: best?.mid ?? null,
    absence: null,
  };
}

/**
 * What a book of at most `limit` levels a side shows of own orders: what is not at its price has filled or is gone, and
 * what of it is has not. Beyond the last level of a book that was cut nobody sees: there they are taken as they were.
 */
export function ownLevels(
  book: Pick<Book, "bids" | "asks">,
  orders: readonly Pick<Order, "side" | "price" | "amount" | "filled">[],
  limit: number,
): OwnOrder[] {
  const left = new Map<string, Decimal>();
  return orders.flatMap(({ side, price, amount: whole, filled }): OwnOrder[] => {
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

function ownSpreadOf({ bids, asks }: Sides<readonly OwnOrder[]>): Decimal | null {
  if (bids.length === 0 || asks.length === 0) return null;
  const bid = bids.map(({ price }) => price).reduce(max);
  const ask = asks.map(({ price }) => price).reduce(min);
  return spreadOf({ bid, ask }).spreadPercent / 100n;
}

const depthsOf = ({ bids, asks }: Sides<readonly BookLevel[]>, mid: Decimal): Sides<Depths> => ({
  bids: depthWithin("buy", bids, mid),
  asks: depthWithin("sell", asks, mid),
});

/** Σ price × amount of what lies no farther from the mid than each band: exactly at its edge counts. */
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

// Without a division, so that an edge is an edge.
const isInsideBand = (
  side: Side,
  price: Decimal,
  { mid, band }: { readonly mid: Decimal; readonly band: Decimal },
): boolean => (side === "buy" ? price * ONE >= mid * (ONE - band) : price * ONE <= mid * (ONE + band));

/** A side that was told in full length, and whose last level still lies inside the widest band. */
const endsInside = ({ bids, asks }: Pick<Book, "bids" | "asks">, mid: Decimal, limit: number): boolean =>
  (["buy", "sell"] as const).some((side) => {
    const levels = side === "buy" ? bids : asks;
    const last = levels.at(-1);
    return (
      last !== undefined && levels.length >= limit && isInsideBand(side, last.price, { mid, band: BANDS[2] })
    );
  });
