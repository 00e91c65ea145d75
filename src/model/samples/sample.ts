/** An order book's liquidity at one moment: the market's, and separately that of own orders. */
import { type Decimal, decimal, max, min, mul, ONE, sum, ZERO } from "../../kernel/decimal.ts";
import { spreadOf } from "../../kernel/spread.ts";
import type { Millis } from "../../kernel/time.ts";
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
export interface SampleInput {
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

// Without a division, so bounds are exact.
const isInsideBand = (
  side: Side,
  price: Decimal,
  { mid, band }: { readonly mid: Decimal; readonly band: Decimal },
): boolean => (side === "buy" ? price * ONE >= mid * (ONE - band) : price * ONE <= mid * (ONE + band));

/** Returns whether a side was returned in full length, and its last level is still inside the widest band. */
const endsInside = ({ bids, asks }: Pick<Book, "bids" | "asks">, mid: Decimal, limit: number): boolean =>
  (["buy", "sell"] as const).some((side) => {
    const levels = side === "buy" ? bids : asks;
    const last = levels.at(-1);
    return (
      last !== undefined && levels.length >= limit && isInsideBand(side, last.price, { mid, band: BANDS[2] })
    );
  });
