import {
  NO_POSITION,
  type PositionConfig,
  type PositionState,
  type Tolerance,
} from "../engine/position/position.ts";
import type { Decimal } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import { NEW_STRATEGY_STATE, type SlotState, type Strategy, type StrategyState } from "../model/strategy.ts";
import type { HalfSpread, QuoteRules } from "./plan.ts";
import type { UncountedReason } from "./reference.ts";

/** A user's configuration with defaults filled in. Prices in quote, shares of 1. */
export interface QuoteConfig extends PositionConfig {
  readonly rules: QuoteRules;
  readonly tolerance: Tolerance;
  /** Weights of the price sources; a source with weight 0 is not queried. */
  readonly weights: { readonly own: Decimal; readonly others: Decimal; readonly dex: Decimal };
  /** A fixed price that the user sets, and its weight. */
  readonly fixed?: { readonly price: Decimal; readonly weight: Decimal } | undefined;
  /** An older price does not count. */
  readonly maxAge: Millis;
  /** A price further from the median of all does not count; absent, every distance is allowed. */
  readonly collar?: Decimal | undefined;
}

/** Basis of the quotes when orders were last moved. */
export interface LastQuoted {
  readonly at: Millis;
  readonly reference: Decimal | null;
  readonly reservation: Decimal | null;
  readonly halfSpread: Decimal | null;
  readonly widenedBy: HalfSpread["because"] | "model" | null;
  /** Null if it counted. */
  readonly sources: readonly { readonly source: string; readonly because: UncountedReason | null }[];
}

export interface QuoteState extends PositionState {
  /** Reference prices of the last hour when they changed, at most one per minute; stored only if they widen the spread. */
  readonly recentPrices: readonly { readonly at: Millis; readonly price: Decimal }[];
  readonly quoted: LastQuoted | null;
}

export type QuoteStrategy = Strategy<QuoteConfig, QuoteState>;

/** Slots per level: while a level's order moves, its replacement needs a second slot. */
const PLACES_PER_LEVEL = 2;

/** Returns whether a slot bids: even ones do, odd ones ask, so more levels only add slots. */
export const isBidSlot = ({ index }: Pick<SlotState, "index">): boolean => index % 2 === 0;

/** Returns enough slots for the levels of a side; no slot is ever removed, because ids of orders name it. */
export function slotsFor(levels: number, before: readonly SlotState[] = []): readonly SlotState[] {
  const count = 2 * PLACES_PER_LEVEL * levels;
  if (before.length >= count) return before;
  const added = Array.from({ length: count - before.length }, (_one, index) => before.length + index);
  return [...before, ...added.map((index) => ({ index, retryAt: 0 }))];
}

export const newQuoteState = (levels: number, startPrice: Decimal): QuoteState => ({
  ...NEW_STRATEGY_STATE,
  slots: slotsFor(levels),
  startPrice,
  ...NO_POSITION,
  recentPrices: [],
  quoted: null,
});

/** How quotes are stored. */
export const STORED_QUOTES = {
  name: "quote",
  version: 1,
  upgrade: (state: StrategyState): QuoteState => state as QuoteState,
} as const;

export const isQuote = (strategy: Strategy): strategy is QuoteStrategy =>
  strategy.kind === STORED_QUOTES.name;
