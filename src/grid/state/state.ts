import { upgraded } from "../../engine/pass/upgrade.ts";
import type { PositionLedger } from "../../engine/position/position.ts";
import { type Decimal, ONE } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import {
  FIRST_WHOLE_SLOT,
  NEW_STRATEGY_STATE,
  type ObservedMove,
  type SlotState,
  type Strategy,
  type StrategyState,
} from "../../model/strategy.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import type { GridConfig } from "./config.ts";
import type { Lot } from "./lots.ts";

export type { GridConfig };

/** A grid strategy. */
export type GridStrategy = Strategy<GridConfig, GridState>;

/**
 * The interval between two neighboring levels. It has a buy at `lower` or a sell at `upper`. Its current base is base
 * − sold, at a cost of cost − cost·sold/base (see booking.ts).
 */
export interface Slot extends SlotState {
  readonly lower: Decimal;
  readonly upper: Decimal;
  /** Quote per order. */
  readonly size: Decimal;
  /** The part of it that is reinvested profit. */
  readonly grown?: Decimal;
  readonly side: "buy" | "sell";
  /** Base bought in the current cycle, before fees. */
  readonly bought: Decimal;
  readonly base: Decimal;
  readonly cost: Decimal;
  readonly sold: Decimal;
  /** Sell price above `upper`, below which the sell would not cover its cost. */
  readonly sellAt?: Decimal;
  /** Whether it has first base: its sell realizes profit but completes no cycle. */
  readonly first: boolean;
  /** Whether its open sell is only a part of its base, because of a limit; the rest follows. */
  readonly isPart?: boolean;
  /** Completed cycles. */
  readonly cycles: number;
  /** Protocol time since which the account lacks a part of its base that is less than the smallest order. */
  readonly lacksSince?: Millis;
}

/** Balance changes from fills since the start; nothing here is an estimate. */
export interface Ledger extends Omit<PositionLedger, "bids" | "asks"> {
  /** Base of the account that it got at the start price. */
  readonly firstBase: Decimal;
  readonly firstCost: Decimal;
  readonly filledOrders: number;
  readonly cycles: number;
}

/** A move of the mid price that two passes must observe before the grid acts on it. */
export type MidMove = "rebuild" | "trail_up" | "trail_down";

/** Its orders belong to the grid as a whole, like those of an exit: their fills change its idle lots. */
export const FIRST_BUY_SLOT = FIRST_WHOLE_SLOT;

export interface GridState extends StrategyState {
  /** The exact mid price at the start, at which first base is booked. */
  readonly startPrice: Decimal;
  readonly slots: readonly Slot[];
  readonly ledger: Ledger;
  /** Base of the strategy that no slot has, cheapest first. */
  readonly idle: readonly Lot[];
  /** The price around which the slots were last built, and the market time of it. */
  readonly center: Decimal;
  readonly laidAt: Millis;
  /** Spacing of the slots as a multiple of the configured one, 1 to 2. */
  readonly widening: Decimal;
  /** Mid prices of the last hour, at most one per minute; stored only if volatility is configured. */
  readonly mids: readonly { readonly at: Millis; readonly mid: Decimal }[];
  readonly signal: ObservedMove<MidMove> | null;
  /** Its orders are being canceled, to rebuild the slots in this generation. */
  readonly rebuild: { readonly generation: number } | null;
  /** One slot is moving to the other end; `steps` counts slots moved up minus slots moved down. */
  readonly trail: { readonly way: "up" | "down" | null; readonly steps: number };
  /** The buy of missing base at the start: number of orders so far; null if it is complete or not needed. */
  readonly firstBuy: {
    readonly tries: number;
    /** The best ask of the plan; absent in states of older versions. */
    readonly ask?: Decimal;
  } | null;
}

/** Initial state of every grid, without its slots and prices. */
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

/** How a grid is stored. */
export const STORED_GRID = {
  name: "grid",
  version: 1,
  upgrade: (state: StrategyState): GridState => state as GridState,
} as const;

export const isGrid = (strategy: Strategy): strategy is GridStrategy => strategy.kind === STORED_GRID.name;

/** Returns a strategy view as a grid's view. Throws for a strategy of another kind. */
export const asGridView = (view: StrategyView): StrategyView<GridStrategy> => ({
  ...view,
  strategy: asGrid(view.strategy),
});

/** Returns the grids among strategies of all kinds. */
export const gridViewsOf = (views: readonly StrategyView[]): readonly StrategyView<GridStrategy>[] =>
  views.filter(({ strategy }) => isGrid(strategy)).map(asGridView);

/** Returns a strategy as a grid. Throws for a strategy of another kind. */
export function asGrid(strategy: Strategy): GridStrategy {
  if (!isGrid(strategy)) throw new TypeError(`strategy ${strategy.id} is not a grid`);
  return upgraded(STORED_GRID, strategy) as GridStrategy;
}
