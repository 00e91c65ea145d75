import type * as z from "zod";
import type { Decimal } from "../../kernel/decimal.ts";
import { flagField, shareField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { Millis } from "../../kernel/time.ts";
import type { StrategyConfig } from "../../model/strategy.ts";

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
  /** Outermost bounds to which the grid follows the market. */
  readonly trail?: { readonly up?: Decimal | undefined; readonly down?: Decimal | undefined } | undefined;
  /** For a grid that is built around the market price and follows it. */
  readonly centered?: CenteredConfig | undefined;
  /** For a grid that a limited caller started or last changed: it trades no more than the limit counted. */
  readonly bound?: GridBound | undefined;
}

interface GridBound {
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

const toggle = (name: string) => flagField("Invalid request", name).optional();
/** A flag that is on over HTTP, as the specification's clients expect; other surfaces have their own default. */
const on = (name: string, description: string) => toggle(name).meta({ description, default: true });
const anyShare = (name: string) => shareField(name).optional();

/**
 * Options of every grid besides its levels: the start reads them, the config stores them under the same names, and
 * the preview shows them. To add an option for both kinds of grid, add a field here and the code that uses it.
 */
export const optionFlags = () => ({
  allowLoss: on("allowLoss", "false refuses a grid whose cycles lose money after fees"),
  useOwnBase: on("useOwnBase", "false leaves base alone that you already own"),
  initialBuy: toggle("initialBuy").describe("Buy the base that selling slots need, at once"),
  postOnly: on("postOnly", "false allows orders that take"),
});

export const reinvestField = () =>
  anyShare("reinvest").describe("Share of the realized profit by which the next buys grow");

export const optionShares = () => ({
  confidence: anyShare("confidence").describe("Minimum price confidence for placing an order"),
  maxPosition: anyShare("maxPosition").describe("Maximum cost of base, as a share of the capital"),
  safetyReserve: anyShare("safetyReserve").describe("Quote that buys do not use, as a share of the capital"),
  reinvest: reinvestField(),
});

type OutputOf<Fields extends () => z.ZodRawShape> = z.output<z.ZodObject<ReturnType<Fields>>>;

/** An absent flag has the default of its field; a share is a Decimal from 0 to 1. */
export type GridOptions = Readonly<OutputOf<typeof optionFlags> & OutputOf<typeof optionShares>>;

const OWN = lazy(() => new Set(Object.keys({ ...optionFlags(), ...optionShares() })));

/** Returns only the options of a request. */
export const optionsOf = <Whole extends GridOptions>(whole: Whole): GridOptions =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => OWN().has(name)));

/** Returns the rest of a request. */
export const withoutOptions = <Whole extends GridOptions>(whole: Whole): Omit<Whole, keyof GridOptions> =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => !OWN().has(name))) as Omit<
    Whole,
    keyof GridOptions
  >;
