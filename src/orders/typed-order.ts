/** Plans an order from what a person types, with the figures that a server has returned. */
import {
  DECIMAL_PLACES,
  type Decimal,
  decimal,
  div,
  fromNumber,
  mul,
  mulDiv,
  ONE,
  ZERO,
} from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import { type Book, type Side, takeFrom } from "../model/market.ts";
import { firstMet, type OrderType } from "../model/order.ts";
import type { Preview } from "../model/proposal.ts";
import type { VenueOrder } from "../ports/venue.ts";
import type { PreparedOrder } from "./manual-order.ts";
import { previewOrder } from "./preview.ts";

/** The typed text of an order. */
export interface TypedOrder {
  readonly side: Side;
  readonly type: OrderType;
  readonly price: string;
  readonly amount: string;
  readonly unit: (typeof AMOUNT_UNITS)[number];
  readonly postOnly: boolean;
}

/** An amount is typed in base, in quote, or in percent of what is free. */
export const AMOUNT_UNITS = ["base", "quote", "percent"] as const;

type PlainLevels = readonly { readonly price: number; readonly amount: number }[];

interface OrderSurroundings {
  readonly exchange: string;
  readonly symbol: `${string}/${string}`;
  readonly book: { readonly bids: PlainLevels; readonly asks: PlainLevels; readonly timestamp: number };
  /** Fee rates in percent, and the date of published ones that are assumed. */
  readonly fees: {
    readonly makerPercent: number;
    readonly takerPercent: number;
    readonly assumed: string | null;
  };
  /** What is free and no strategy needs. */
  readonly free: { readonly base: string; readonly quote: string };
  readonly killed: boolean;
  /** Open orders of the account on the pair. */
  readonly open: readonly ListedOrder[];
}

interface ListedOrder extends Pick<VenueOrder, "id" | "side"> {
  readonly price: number;
  readonly amount: number;
  readonly filled: number;
}

export interface TypedPlan {
  readonly order: PreparedOrder;
  readonly preview: Preview;
}

/** Returns the order and its plan; undefined while its price or amount is missing. */
export function planTyped(typed: TypedOrder, around: OrderSurroundings): TypedPlan | undefined {
  const { exchange, symbol, killed, fees } = around;
  const { side, type, unit } = typed;
  const book = readBook(around.book);
  const price = type === "limit" ? positiveIn(typed.price) : ZERO;
  const given = positiveIn(typed.amount);
  if (price === undefined || given === undefined) return undefined;
  const [maker, taker] = [share(fees.makerPercent), share(fees.takerPercent)];
  const free = { base: decimal(around.free.base), quote: decimal(around.free.quote) };
  const part = mul(side === "buy" ? free.quote : free.base, given, "down") / 100n;
  const rate = maker > taker ? maker : taker;
  // A buy of all that is free leaves its fee.
  const spent = unit === "quote" ? given : mulDiv(part, { times: ONE, over: ONE + rate }, "down");
  const amount =
    unit === "base"
      ? given
      : unit === "percent" && side === "sell"
        ? part
        : baseFor(spent, price, side === "buy" ? book.asks : book.bids);
  if (amount <= ZERO) return undefined;
  const order = { side, type, price, amount, postOnly: type === "limit" && typed.postOnly };
  const fill = takeFrom(book, { side, amount, limit: type === "limit" ? price : undefined });
  const limit = type === "limit" ? price : fill.amount < amount ? null : fill.worst;
  const quote = { bid: book.bids[0]?.price ?? ZERO, ask: book.asks[0]?.price ?? ZERO, at: book.at };
  const assumed = fees.assumed === null ? {} : { assumedFees: assumedFees(fees.assumed) };
  const market = { ...splitPair(symbol), maker, taker, buyFeeIn: "unknown" as const, ...assumed };
  const balances = [
    { asset: market.base, free: free.base, used: ZERO },
    { asset: market.quote, free: free.quote, used: ZERO },
  ];
  const own = around.open.map((one) => ({
    ...one,
    ...readLevel(one),
    symbol,
    type: "limit" as const,
    filled: exactOf(one.filled),
  }));
  const met = firstMet({ side, limit }, own);
  return { order, preview: previewOrder(order, { exchange, market, quote, book, balances, killed, met }) };
}

const assumedFees = (published: string) => ({ names: ["maker", "taker"] as const, published });

/** Returns the best limit price that fills nothing at once, as text. */
export const restingPrice = (side: Side, { bids, asks }: OrderSurroundings["book"]): string =>
  String((side === "buy" ? bids : asks)[0]?.price ?? "");

/** Returns a number of a response. Digits beyond those of a decimal are rounded. */
const exactOf = (value: number): Decimal =>
  fromNumber(value) ?? fromNumber(Number(value.toFixed(DECIMAL_PLACES))) ?? ZERO;
const share = (percent: number): Decimal => exactOf(percent) / 100n;

/** Reads a typed number; undefined unless it is above zero. */
function positiveIn(text: string): Decimal | undefined {
  const value = fromNumber(Number(text));
  return value !== undefined && value > ZERO ? value : undefined;
}

const readLevel = ({ price, amount }: PlainLevels[number]) => ({
  price: exactOf(price),
  amount: exactOf(amount),
});

const readBook = ({ bids, asks, timestamp }: OrderSurroundings["book"]): Book => ({
  bids: bids.map(readLevel),
  asks: asks.map(readLevel),
  at: timestamp,
});

/** Returns the base that a quote amount trades: at the limit price, or level by level and beyond at the worst one. */
function baseFor(quote: Decimal, limit: Decimal, levels: Book["asks"]): Decimal {
  if (limit > ZERO) return div(quote, limit, "down");
  let [left, base] = [quote, ZERO];
  for (const [at, { price, amount }] of levels.entries()) {
    const worth = mul(price, amount, "up");
    if (worth >= left || at === levels.length - 1) return base + div(left, price, "down");
    left -= worth;
    base += amount;
  }
  return base;
}
