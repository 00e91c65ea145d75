import type { Decimal } from "../kernel/decimal.ts";

/** Exchanged quote and its fee, in quote. */
export interface LegFill {
  readonly notional: Decimal;
  readonly fee: Decimal;
}

/**
 * One side of an arbitrage: a venue's asks to buy from, or its bids to sell to. The price of buying never decreases
 * from one lot to the next, the price of selling never increases.
 */
export interface Leg {
  readonly exchange: string;
  /** Identifier of a pool. */
  readonly pool?: string;
  /** Maximum base that can be traded. */
  readonly depth: Decimal;
  readonly lot: Decimal;
  readonly minAmount: Decimal;
  readonly minNotional: Decimal;
  /** Executes an amount up to `depth`. */
  readonly fill: (amount: Decimal) => LegFill;
}
