/** State of a strategy that has one position at average cost; several kinds share it. */
import type { Decimal } from "../../kernel/decimal.ts";
import type { Strategy, StrategyConfig, StrategyState } from "../../model/strategy.ts";

export interface PositionConfig extends StrategyConfig {
  /** Amounts of the account that it can use. */
  readonly budget: { readonly base: Decimal; readonly quote: Decimal };
}

export interface PositionLedger {
  /** Balance changes from fills per asset, summed separately from the books; both must agree. */
  readonly moved: Readonly<Record<string, Decimal>>;
  /** Change of quote from fills, including fees in quote. */
  readonly quote: Decimal;
  readonly realized: Decimal;
  /** Fees paid so far, per asset. */
  readonly fees: Readonly<Record<string, Decimal>>;
  /** Balance changes in assets other than base and quote: fees charged in them, so never above zero. */
  readonly cash: Readonly<Record<string, Decimal>>;
  /** Value in quote of those fees when they were charged, and whether part of it is an estimate. */
  readonly feesValue: Decimal;
  readonly feesEstimated: boolean;
  /** Completely filled orders by side. */
  readonly bids: number;
  readonly asks: number;
}

export interface PositionState extends StrategyState {
  /** Start price, at which the first base is booked. */
  readonly startPrice: Decimal;
  /** Base of the account that it got at the start, and its value then. */
  readonly first: { readonly base: Decimal; readonly cost: Decimal };
  /** Current base and its cost. */
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
