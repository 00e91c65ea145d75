import { NO_POSITION, type PositionConfig, type PositionState } from "../../engine/position/state.ts";
import type { Tolerance } from "../../engine/position/tolerance.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import { NEW_STRATEGY_STATE, type SlotState, type Strategy } from "../../model/strategy.ts";
import type { HalfSpread } from "../half-spread.ts";
import type { QuoteRules } from "../plan.ts";
import type { Uncounted } from "../reference.ts";

/** What a person asked for, defaults filled in. Prices in quote, shares of 1. */
export interface QuoteConfig extends PositionConfig {
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
  /** A result worse than this, in quote, ends both sides until a person resumes. */
  readonly maxLoss?: Decimal | undefined;
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

export interface QuoteState extends PositionState {
  /** Reference prices of the last hour where they changed, at most one a minute; kept only where they widen the spread. */
  readonly seen: readonly { readonly at: Millis; readonly price: Decimal }[];
  readonly quoted: LastQuoted | null;
  /** The resumes under which its own loss has ended it. */
  readonly lostAt: number | null;
}

export type QuoteStrategy = Strategy<QuoteConfig, QuoteState>;

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
  ...NO_POSITION,
  seen: [],
  quoted: null,
  lostAt: null,
});
