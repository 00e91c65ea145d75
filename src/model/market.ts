import type { Decimal } from "../kernel/decimal.ts";
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
  /** Fee rates as shares of the notional: 0.001 is 0.1 %. */
  readonly maker: Decimal;
  readonly taker: Decimal;
  /** Asset of a buy's fee; a sell's fee is in quote. If unknown, the more expensive one is assumed. */
  readonly buyFeeIn: "base" | "quote" | "unknown";
}

export interface Quote {
  readonly bid: Decimal;
  readonly ask: Decimal;
  readonly at: Millis;
}

export interface Ticker extends Quote {
  readonly last: Decimal;
  readonly baseVolume: Decimal;
  readonly quoteVolume: Decimal;
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
  readonly volume: Decimal;
}
