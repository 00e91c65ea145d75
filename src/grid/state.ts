import type { Decimal } from "../kernel/decimal.ts";

/** What a person asked for; fixed at start. Prices and sizes in quote. */
export interface GridConfig {
  readonly lowerPrice: Decimal;
  readonly upperPrice: Decimal;
  readonly gridLevels: number;
  readonly orderSize: Decimal;
  readonly gridSpacing: Decimal;
}

/**
 * The interval between two neighbouring levels. It rests a buy at `lower` or a sell at `upper`.
 * Held now: base − sold, at a cost of cost − cost·sold/base (see booking.ts).
 */
export interface Slot {
  /** Its number within the generation, never given twice. */
  readonly index: number;
  readonly lower: Decimal;
  readonly upper: Decimal;
  /** Quote per order. */
  readonly size: Decimal;
  readonly side: "buy" | "sell";
  /** Sequence of its next order; never falls, also across generations. */
  readonly sequence: number;
  /** Base bought in the cycle under way, before fees. */
  readonly bought: Decimal;
  readonly base: Decimal;
  readonly cost: Decimal;
  readonly sold: Decimal;
  /** Holds first base: its sell realises profit but completes no cycle. */
  readonly first: boolean;
  /** Protocol time before which it places nothing, after a venue refused its order. */
  readonly retryAt: number;
}

/** What fills have moved since the start. Nothing here is an estimate. */
export interface Ledger {
  /** Change of quote by fills, fees in quote included. */
  readonly quote: Decimal;
  /** Own base taken over at the start price. */
  readonly firstBase: Decimal;
  readonly firstCost: Decimal;
  readonly realized: Decimal;
  /** Fees paid so far per asset. */
  readonly fees: Readonly<Record<string, Decimal>>;
  readonly filledOrders: number;
  readonly cycles: number;
}

export type RefusalReason =
  | "no_base"
  | "no_quote"
  | "below_minimum"
  | "would_self_cross"
  | "inventory_missing"
  | "fills_missing"
  | "market_closed"
  | "rejected"
  | "recovering"
  | "killed";

/** A slot that rests nothing, and why. */
export interface Refusal {
  readonly slot: number;
  readonly reason: RefusalReason;
  readonly detail?: string;
}

export interface GridState {
  readonly generation: number;
  /** The exact mid at the start, at which first base is booked. */
  readonly startPrice: Decimal;
  readonly slots: readonly Slot[];
  readonly ledger: Ledger;
  readonly refused: readonly Refusal[];
  /** The database's epoch that it has taken note of; null before its first pass. */
  readonly epoch: number | null;
  /** Protocol time until which nothing new is placed, because the database was restored. */
  readonly heldUntil: number;
}

export const NO_LEDGER: Ledger = {
  quote: 0n,
  firstBase: 0n,
  firstCost: 0n,
  realized: 0n,
  fees: {},
  filledOrders: 0,
  cycles: 0,
};
