import type { Decimal } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { StrategyConfig } from "../../model/strategy.ts";
import type { GridOptions } from "./options.ts";

/** A user's configuration, with later changes. Prices and sizes in quote, shares of 1. */
export interface GridConfig extends StrategyConfig, GridOptions {
  readonly lowerPrice: Decimal;
  readonly upperPrice: Decimal;
  readonly gridLevels: number;
  readonly orderSize: Decimal;
  /** Price difference between two levels; for a geometric grid, their ratio − 1. */
  readonly gridSpacing: Decimal;
  readonly spacingModel?: "linear" | "geometric" | undefined;
  /** Whether the user set the spacing: levels are then multiples of it. */
  readonly isSpaced?: boolean | undefined;
  /** Whether one pass that reads a stop-loss or take-profit price is enough. */
  readonly stopAtOnce?: boolean | undefined;
  /** Outermost bounds to which the grid follows the market. */
  readonly trail?: { readonly up?: Decimal | undefined; readonly down?: Decimal | undefined } | undefined;
  /** For a grid that is built around the market price and follows it. */
  readonly centered?: CenteredConfig | undefined;
  /** For a grid that a limited caller started or last changed: it trades no more than the limit counted. */
  readonly bound?: GridBound | undefined;
}

export interface GridBound {
  /** Maximum base of the account that it takes when it starts. */
  readonly base: Decimal;
  /** Maximum quote that its fills have spent and its open buys can spend, minus the proceeds of sells, before fees. */
  readonly spent: Decimal;
}

export interface CenteredConfig {
  /** Levels on each side. */
  readonly levels: number;
  /** Distance of the first level, as a share of the center price. */
  readonly spacing: Decimal;
  readonly spacingModel: "linear" | "geometric" | "custom";
  /** For a geometric grid: each distance as a multiple of the one before. */
  readonly spacingFactor: Decimal;
  /** For a custom grid: each level's distance from the center, as a share of it. */
  readonly customSpacings?: readonly Decimal[] | undefined;
  readonly sizeModel: "flat" | "pyramidal" | "custom";
  /** For custom sizes: multiples of the base size, nearest level first. */
  readonly sizeWeights?: readonly Decimal[] | undefined;
  /** Distance of the mid price from the grid that triggers a rebuild, as a share of the center price. */
  readonly deviation: Decimal;
  readonly deviationFrom: "edge" | "center";
  /** Minimum market time between two rebuilds. */
  readonly debounce: Millis;
  /** Bounds of the last hour's (max − min)/mean between which spacing widens from 1 to 2 times. */
  readonly volatility?: { readonly low: Decimal; readonly high: Decimal } | undefined;
}
