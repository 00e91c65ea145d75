import { type Decimal, div, max, min, mul, ONE, roundToStep, text, ZERO } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";

export const SIDES = ["buy", "sell"] as const;
export type Side = (typeof SIDES)[number];

/** A market's rules, prices in quote and amounts in base. */
export interface Market {
  readonly symbol: Pair;
  readonly base: string;
  readonly quote: string;
  readonly tick: Decimal;
  readonly lot: Decimal;
  readonly minAmount: Decimal;
  readonly minNotional: Decimal;
  readonly active: boolean;
  /** The only side that the exchange accepts at the moment; undefined if it accepts both. */
  readonly onlySide?: Side | undefined;
  /** Fee rates as shares of the notional: 0.001 is 0.1 %. */
  readonly maker: Decimal;
  readonly taker: Decimal;
  /** Which of these rates the exchange did not show, so that its published ones are assumed; absent if it showed both. */
  readonly assumedFees?: AssumedFees;
  /** Asset of a buy's fee; a sell's fee is in quote. If unknown, the more expensive one is assumed. */
  readonly buyFeeIn: "base" | "quote" | "unknown";
}

interface AssumedFees {
  readonly names: readonly ("maker" | "taker")[];
  /** Date of the published rates, as YYYY-MM-DD. */
  readonly published: string;
}

/** Returns whether the exchange accepts orders of a side. */
export const accepts = ({ active, onlySide }: Market, side: Side): boolean =>
  active && (onlySide === undefined || onlySide === side);

export interface BidAsk {
  readonly bid: Decimal;
  readonly ask: Decimal;
  readonly at: Millis;
}

export interface Ticker extends BidAsk {
  /** Null if it cannot be read, like the volumes. */
  readonly last: Decimal | null;
  readonly baseVolume: Decimal | null;
  readonly quoteVolume: Decimal | null;
}

export interface BookLevel {
  readonly price: Decimal;
  readonly amount: Decimal;
}

/** Best prices first. */
export interface Book {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly at: Millis;
  /** Market time of the read, if a simulated exchange shows an older book. */
  readonly readAt?: Millis;
}

export interface Trade extends BookLevel {
  readonly id: string;
  readonly side: Side;
  readonly at: Millis;
}

export interface Candle {
  readonly at: Millis;
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: Decimal;
  /** In base; null if it cannot be read. */
  readonly volume: Decimal | null;
}

/** A ticker or a candle of which everything is known, such as a simulated one. */
export type Whole<T> = { readonly [K in keyof T]: NonNullable<T[K]> };

/** Expected execution of an order against an order book. */
export interface ExpectedFill {
  readonly amount: Decimal;
  /** In quote. */
  readonly notional: Decimal;
  /** Worst price of the execution; zero if nothing executes. */
  readonly worst: Decimal;
}

/** Returns the expected execution, best levels first, up to the price `limit`; a market order has none. */
export function takeFrom(
  { bids, asks }: Book,
  {
    side,
    amount,
    limit,
  }: { readonly side: Side; readonly amount: Decimal; readonly limit?: Decimal | undefined },
): ExpectedFill {
  const levels = (side === "buy" ? asks : bids).filter(({ price }) => isWithin(side, price, limit));
  return levels.reduce((fill, level) => takeLevel(fill, level, { side, amount }), NO_FILL);
}

const NO_FILL: ExpectedFill = { amount: ZERO, notional: ZERO, worst: ZERO };

const isWithin = (side: Side, price: Decimal, limit: Decimal | undefined): boolean =>
  limit === undefined || (side === "buy" ? price <= limit : price >= limit);

function takeLevel(
  fill: ExpectedFill,
  { price, amount: size }: BookLevel,
  { side, amount }: { side: Side; amount: Decimal },
): ExpectedFill {
  const more = min(size, amount - fill.amount);
  if (more <= ZERO) return fill;
  const notional = fill.notional + mul(price, more, side === "buy" ? "up" : "down");
  return { amount: fill.amount + more, notional, worst: price };
}

/** Describes what an order would fill immediately; undefined if it would fill nothing. */
export function expectedText(
  fill: ExpectedFill,
  whole: Decimal,
  { base, quote }: Pick<Market, "base" | "quote">,
) {
  if (fill.amount === ZERO) return undefined;
  const average = text(roundToStep(div(fill.notional, fill.amount, "half"), ONE / 10n ** 8n, "half"));
  const rest = whole - fill.amount;
  const more = rest > ZERO ? `, and not the other ${text(rest)} ${base}` : "";
  return `at once ${text(fill.amount)} ${base} for ${text(fill.notional)} ${quote}, at ${average} on average and ${text(fill.worst)} at worst, in the current order book${more}`;
}

/** Returns a fee rate as text, in percent: 0.0025 is `0.25 %`. */
const ratePercentText = (rate: Decimal): string =>
  `${text(roundToStep(rate * 100n, ONE / 10_000n, "half"))} %`;

/** Describes both fee rates, and since when the assumed ones are published. */
export function feeRatesText(market: Pick<Market, "maker" | "taker" | "assumedFees">): string {
  const { names, published } = market.assumedFees ?? { names: [], published: "" };
  const of = (name: "maker" | "taker") => `${name} fee ${ratePercentText(market[name])}`;
  if (names.length === 0) return `${of("maker")}, ${of("taker")}`;
  return `${names.map(of).join(", ")}, assumed: published rate of ${published}`;
}

/** Returns a warning if a fee rate is assumed. */
export const feeWarnings = (market: Pick<Market, "maker" | "taker" | "assumedFees">) =>
  market.assumedFees ? [{ code: "fees_assumed" as const, message: feeRatesText(market) }] : [];

/** Returns whether the exchange accepts an order of this amount (base) at this price (quote). */
export const meetsMinimum = (market: Market, price: Decimal, amount: Decimal): boolean =>
  amount >= market.minAmount && amount > 0n && mul(price, amount, "down") >= market.minNotional;

/** Returns the smallest amount, in whole lots, that the exchange accepts at this price. */
export const leastAmount = ({ minAmount, minNotional, lot }: Market, price: Decimal): Decimal =>
  max(lot, roundToStep(max(minAmount, div(minNotional, price, "up")), lot, "up"));

/** Returns how much base a quote amount buys at a price, in whole lots. */
export const lotsFor = ({ lot }: Market, quote: Decimal, price: Decimal): Decimal =>
  roundToStep(div(quote, price, "down"), lot, "down");

/** The supported exchanges, and their static differences. */
export const VENUES = {
  mexc: { passphrase: false, quotes: ["USDT"] },
  gateio: { passphrase: false, quotes: ["USDT"] },
  bitget: { passphrase: true, quotes: ["USDT"] },
  kraken: { passphrase: false, quotes: ["USDT", "USD", "EUR"] },
} as const;

/** Account tiers with different rate limits, lowest first; the lowest one is the default. */
export const TIERS = { kraken: ["starter", "intermediate", "pro"] } as const;

export type Tier = (typeof TIERS)["kraken"][number];

export type VenueName = keyof typeof VENUES;
