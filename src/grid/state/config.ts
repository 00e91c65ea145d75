import type { Decimal } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { StrategyConfig } from "../../model/strategy.ts";
import type { GridOptions } from "./options.ts";

/** What a person asked for, at the start or by a change since. Prices and sizes in quote, shares of 1. */
export interface GridConfig extends StrategyConfig, GridOptions {
  readonly lowerPrice: Decimal;
  readonly upperPrice: Decimal;
  readonly gridLevels: number;
  readonly orderSize: Decimal;
  /** Price difference of two levels; of a geometric grid their ratio − 1. */
  readonly gridSpacing: Decimal;
  readonly spacingModel?: "linear" | "geometric" | undefined;
  /** The spacing was given: levels are multiples of it. */
  readonly isSpaced?: boolean | undefined;
  /** The farthest bounds to which the grid follows the market. */
  readonly trail?: { readonly up?: Decimal | undefined; readonly down?: Decimal | undefined } | undefined;
  /** Of a grid that is laid around the market and follows it. */
  readonly centered?: CenteredConfig | undefined;
  /** Of a grid that a limited caller has started or changed last: it trades no more than that limit has counted. */
  readonly bound?: GridBound | undefined;
}

export interface GridBound {
  /** The most of the account's own base that it takes when it begins. */
  readonly base: Decimal;
  /** The most quote that its fills have spent and its open buys may spend, less what sells have returned, before fees. */
  readonly spent: Decimal;
}

export interface CenteredConfig {
  /** Levels on each side. */
  readonly levels: number;
  /** Of the first level, as a share of the center price. */
  readonly spacing: Decimal;
  readonly spacingModel: "linear" | "geometric" | "custom";
  /** Of a geometric grid: each gap as a multiple of the one before. */
  readonly spacingFactor: Decimal;
  /** Of a custom one: each level's distance from the center, as a share of it. */
  readonly customSpacings?: readonly Decimal[] | undefined;
  readonly sizeModel: "flat" | "pyramidal" | "custom";
  /** Of custom sizes: multiples of the base size, the nearest level's first. */
  readonly sizeWeights?: readonly Decimal[] | undefined;
  /** How far the mid has to leave the grid before it is rebuilt, as a share of the center price. */
  readonly deviation: Decimal;
  readonly deviationFrom: "edge" | "center";
  /** Least market time between two rebuilds. */
  readonly debounce: Millis;
  /** Bounds of the last hour's (max − min)/mean between which spacing widens from 1 to 2 times. */
  readonly volatility?: { readonly low: Decimal; readonly high: Decimal } | undefined;
}
