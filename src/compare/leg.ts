import type { Decimal } from "../kernel/decimal.ts";

/** Quote that changes hands, and the fee for it, in quote. */
export interface LegFill {
  readonly notional: Decimal;
  readonly fee: Decimal;
}

/**
 * One side of an arbitrage: a venue's asks to buy from, or its bids to sell to. What buying costs never falls
 * from one lot to the next, what selling brings never rises.
 */
export interface Leg {
  readonly exchange: string;
  /** Of a pool: its identifier. */
  readonly pool?: string;
  /** The most base that can be traded. */
  readonly depth: Decimal;
  readonly lot: Decimal;
  readonly minAmount: Decimal;
  readonly minNotional: Decimal;
  /** For an amount up to `depth`. */
  readonly fill: (amount: Decimal) => LegFill;
}
