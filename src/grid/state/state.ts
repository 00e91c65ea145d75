import { type Decimal, ONE } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import {
  FIRST_WHOLE_SLOT,
  NEW_STRATEGY_STATE,
  type SlotState,
  type Strategy,
  type StrategyState,
} from "../../model/strategy.ts";
import type { GridConfig } from "./config.ts";
import type { Lot } from "./lots.ts";

export type { GridConfig };

/** A grid among strategies. */
export type GridStrategy = Strategy<GridConfig, GridState>;

/**
 * The interval between two neighbouring levels. It rests a buy at `lower` or a sell at `upper`.
 * Held now: base − sold, at a cost of cost − cost·sold/base (see booking.ts).
 */
export interface Slot extends SlotState {
  readonly lower: Decimal;
  readonly upper: Decimal;
  /** Quote per order. */
  readonly size: Decimal;
  readonly side: "buy" | "sell";
  /** Base bought in the cycle under way, before fees. */
  readonly bought: Decimal;
  readonly base: Decimal;
  readonly cost: Decimal;
  readonly sold: Decimal;
  /** Where what it holds is sold, when that is above `upper`: below it the sell would not cover its cost. */
  readonly sellAt?: Decimal;
  /** Holds first base: its sell realises profit but completes no cycle. */
  readonly first: boolean;
  /** Completed so far. */
  readonly cycles: number;
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
  /** Cash in assets other than base and quote: fees taken in them, so never above zero. */
  readonly cash: Readonly<Record<string, Decimal>>;
  /** What those fees were worth in quote when they were taken, and whether some of that is an estimate. */
  readonly feesValue: Decimal;
  readonly feesEstimated: boolean;
  /** What fills have moved per asset, summed apart from slots and cash: both have to agree. */
  readonly moved: Readonly<Record<string, Decimal>>;
  readonly filledOrders: number;
  readonly cycles: number;
}

/** A move of the mid that has to be seen in two passes before anything follows from it. */
export type MidMove = "stop_loss" | "take_profit" | "rebuild" | "trail_up" | "trail_down";

export interface Signal {
  readonly move: MidMove;
  /** Market time of the first pass that saw it. */
  readonly at: Millis;
}

/** Its orders are of the grid as a whole, as those of an exit: what they fill goes to and comes from its idle lots. */
export const FIRST_BUY_SLOT = FIRST_WHOLE_SLOT;

export interface GridState extends StrategyState {
  /** The exact mid at the start, at which first base is booked. */
  readonly startPrice: Decimal;
  readonly slots: readonly Slot[];
  readonly ledger: Ledger;
  /** Base of the strategy that no slot holds, cheapest first. */
  readonly idle: readonly Lot[];
  /** The price around which the slots were last laid out, and when, in market time. */
  readonly center: Decimal;
  readonly laidAt: Millis;
  /** Spacing of the slots as a multiple of the configured one, 1 to 2. */
  readonly widening: Decimal;
  /** Mids of the last hour, at most one a minute; kept only where volatility is asked for. */
  readonly mids: readonly { readonly at: Millis; readonly mid: Decimal }[];
  readonly signal: Signal | null;
  /** Its orders are being cancelled, to be laid out anew in this generation. */
  readonly rebuild: { readonly generation: number } | null;
  /** One slot is being moved to the other end; `steps` counts those moved up, less those moved down. */
  readonly trail: { readonly way: "up" | "down" | null; readonly steps: number };
  /** The buy of missing base at the start: orders placed for it so far; null when it is over or not wanted. */
  readonly firstBuy: { readonly tries: number } | null;
}

/** What every grid begins with, but for its slots and prices. */
export const NEW_STATE = {
  ...NEW_STRATEGY_STATE,
  idle: [],
  widening: ONE,
  mids: [],
  signal: null,
  rebuild: null,
  trail: { way: null, steps: 0 },
  firstBuy: null,
} as const;

export const NO_LEDGER: Ledger = {
  quote: 0n,
  firstBase: 0n,
  firstCost: 0n,
  realized: 0n,
  fees: {},
  cash: {},
  feesValue: 0n,
  feesEstimated: false,
  moved: {},
  filledOrders: 0,
  cycles: 0,
};
