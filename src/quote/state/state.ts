import type { Decimal } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import {
  NEW_STRATEGY_STATE,
  type SlotState,
  type Strategy,
  type StrategyConfig,
  type StrategyState,
} from "../../model/strategy.ts";
import type { HalfSpread } from "../half-spread.ts";
import type { QuoteRules } from "../plan.ts";
import type { Uncounted } from "../reference.ts";
import type { Tolerance } from "../tolerance.ts";

/** What a person asked for, defaults filled in. Prices in quote, shares of 1. */
export interface QuoteConfig extends StrategyConfig {
  readonly rules: QuoteRules;
  readonly tolerance: Tolerance;
  /** Votes for the reference price; one of 0 is not asked. */
  readonly weights: { readonly own: Decimal; readonly others: Decimal; readonly dex: Decimal };
  /** A price that a person stands for, and its vote. */
  readonly fixed?: { readonly price: Decimal; readonly weight: Decimal } | undefined;
  /** An older price does not count. */
  readonly maxAge: Millis;
  /** Nor one that lies farther from the median of all; absent trusts each anywhere. */
  readonly collar?: Decimal | undefined;
  /** Of the account's own, so much is quoted with. */
  readonly budget: { readonly base: Decimal; readonly quote: Decimal };
  /** A result worse than this, in quote, ends both sides until a person resumes. */
  readonly maxLoss?: Decimal | undefined;
}

export interface QuoteLedger {
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
  /** Orders filled whole, by side. */
  readonly bids: number;
  readonly asks: number;
}

/** What was quoted when orders were last moved. */
export interface LastQuoted {
  readonly at: Millis;
  readonly reference: Decimal | null;
  readonly reservation: Decimal | null;
  readonly halfSpread: Decimal | null;
  readonly widenedBy: HalfSpread["because"] | "model" | null;
  /** Null where it counted. */
  readonly sources: readonly { readonly source: string; readonly because: Uncounted | null }[];
}

export interface QuoteState extends StrategyState {
  /** The reference price at the start, at which first base is booked. */
  readonly startPrice: Decimal;
  /** The account's own base that it was given, and what that was worth then. */
  readonly first: { readonly base: Decimal; readonly cost: Decimal };
  /** Held now, and what it cost. */
  readonly base: Decimal;
  readonly cost: Decimal;
  readonly ledger: QuoteLedger;
  /** Reference prices of the last hour where they changed, at most one a minute; kept only where they widen the spread. */
  readonly seen: readonly { readonly at: Millis; readonly price: Decimal }[];
  readonly quoted: LastQuoted | null;
  /** The resumes under which its own loss has ended it. */
  readonly lostAt: number | null;
}

export type QuoteStrategy = Strategy<QuoteConfig, QuoteState>;

const NO_QUOTE_LEDGER: QuoteLedger = {
  moved: {},
  quote: 0n,
  realized: 0n,
  fees: {},
  cash: {},
  feesValue: 0n,
  feesEstimated: false,
  bids: 0,
  asks: 0,
};

/** Of a level's order that moves, its successor needs a place beside it. */
const PLACES_A_LEVEL = 2;

/** Even ones bid, odd ones ask: more levels only add to them. */
export const isBidSlot = ({ index }: Pick<SlotState, "index">): boolean => index % 2 === 0;

/** The slots with as many as the levels of a side need; none is ever taken away, as its orders name it. */
export function slotsFor(levels: number, before: readonly SlotState[] = []): readonly SlotState[] {
  const count = 2 * PLACES_A_LEVEL * levels;
  if (before.length >= count) return before;
  const added = Array.from({ length: count - before.length }, (_one, place) => before.length + place);
  return [...before, ...added.map((index) => ({ index, retryAt: 0 }))];
}

export const newQuoteState = (levels: number, startPrice: Decimal): QuoteState => ({
  ...NEW_STRATEGY_STATE,
  slots: slotsFor(levels),
  startPrice,
  first: { base: 0n, cost: 0n },
  base: 0n,
  cost: 0n,
  ledger: NO_QUOTE_LEDGER,
  seen: [],
  quoted: null,
  lostAt: null,
});
