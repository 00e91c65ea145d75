/** A strategy whose books are one position, at its average cost: what its kinds share. */
import type { Decimal } from "../../kernel/decimal.ts";
import type { Strategy, StrategyConfig, StrategyState } from "../../model/strategy.ts";

export interface PositionConfig extends StrategyConfig {
  /** Of the account's own, so much may be used. */
  readonly budget: { readonly base: Decimal; readonly quote: Decimal };
}

export interface PositionLedger {
  /** What fills have moved per asset, summed apart from the books: both have to agree. */
  readonly moved: Readonly<Record<string, Decimal>>;
  /** Change of quote by fills, fees in quote included. */
  readonly quote: Decimal;
  readonly realized: Decimal;
  /** Paid so far, per asset. */
  readonly fees: Readonly<Record<string, Decimal>>;
  /** Cash in assets other than base and quote. */
  readonly cash: Readonly<Record<string, Decimal>>;
  /** What those were worth in quote when they were taken, and whether some of that is an estimate. */
  readonly feesValue: Decimal;
  readonly feesEstimated: boolean;
  /** Completely filled orders, by side. */
  readonly bids: number;
  readonly asks: number;
}

export interface PositionState extends StrategyState {
  /** The price at the start, at which first base is booked. */
  readonly startPrice: Decimal;
  /** The account's own base that it was given, and what that was worth then. */
  readonly first: { readonly base: Decimal; readonly cost: Decimal };
  /** Held now, and what it cost. */
  readonly base: Decimal;
  readonly cost: Decimal;
  readonly ledger: PositionLedger;
}

export type PositionStrategy = Strategy<PositionConfig, PositionState>;

export const NO_POSITION = {
  first: { base: 0n, cost: 0n },
  base: 0n,
  cost: 0n,
  ledger: {
    moved: {},
    quote: 0n,
    realized: 0n,
    fees: {},
    cash: {},
    feesValue: 0n,
    feesEstimated: false,
    bids: 0,
    asks: 0,
  },
} as const satisfies Partial<PositionState>;
