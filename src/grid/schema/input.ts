import * as z from "zod";
import { endingFields } from "../../engine/operations/ending-fields.ts";
import { type Decimal, ONE } from "../../kernel/decimal.ts";
import {
  countField,
  decimalField,
  dryBalance,
  exchangeField,
  flag,
  flagField,
  MAX_MULTIPLE,
  pairField,
  planHash,
  price,
  shareField,
  strategyName,
  wordField,
} from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { optionFlags, optionShares } from "../state/config.ts";

export const common = () => ({
  ...optionFlags(),
  dryRun: flag("dryRun").describe("Paper trading: live prices, simulated fills, no request to your account"),
  dryBalance: dryBalance(),
  name: strategyName(),
});

const rangeShape = (ids: readonly string[]) => ({
  exchange: exchangeField(ids),
  symbol: pairField(),
  lowerPrice: decimalField("Invalid range").describe("Lowest level, in quote"),
  upperPrice: decimalField("Invalid range").describe("Highest level, in quote"),
  gridLevels: countField("Invalid levels", { min: 2, max: 100 }).describe(
    "Number of slots, 2 to 100, each with one open order",
  ),
  orderSize: decimalField("Invalid order size").describe("Quote per order"),
  gridSpacing: decimalField("Invalid spacing")
    .optional()
    .describe("Price difference between two levels; default: (upper − lower) / levels"),
  spacingModel: wordField("Invalid spacing", ["linear", "geometric"])
    .optional()
    .describe("Equal differences (linear) or equal ratios (geometric); default linear"),
  ...common(),
  stopLossPrice: price().describe("Stop-loss price: at or below it, the grid sells its base and stops"),
  takeProfitPrice: price().describe("Take-profit price: at or above it, the grid sells its base and stops"),
  stopAtOnce: flag("stopAtOnce").describe(
    "Exit at the first stop-loss or take-profit price that a pass reads, without a second pass 5 seconds later",
  ),
  triggerPrice: price().describe("Trigger price: the grid waits until the market reaches it"),
  trail: z
    .strictObject(
      { up: price(), down: price() },
      { error: "Invalid price: trail is { up?: price, down?: price }" },
    )
    .optional()
    .describe("Furthest range to which the grid follows the market"),
  ...optionShares(),
});

type RangeInput = {
  readonly lowerPrice: Decimal;
  readonly upperPrice: Decimal;
  readonly stopLossPrice?: Decimal | undefined;
  readonly takeProfitPrice?: Decimal | undefined;
  readonly trail?: { readonly up?: Decimal | undefined; readonly down?: Decimal | undefined } | undefined;
};

/** A relation that input fields must have, and the field that its error names. */
interface Rule<T> {
  readonly path: string;
  readonly error: string;
  readonly holds: (request: T) => boolean;
}

/** `when` limits the values on which a rule is checked; by default, values that are valid individually. */
export const withRules = <S extends z.ZodObject, T>(
  object: S,
  rules: readonly Rule<T>[],
  when?: (value: unknown) => boolean,
): S =>
  rules.reduce(
    (schema, { path, error, holds }) =>
      schema.refine((value) => holds(value as unknown as T), {
        path: [path],
        error,
        ...(when ? { when: ({ value }) => when(value) } : {}),
      }),
    object,
  );

/** Relations between the prices of a range. */
export const BOUNDS: readonly Rule<RangeInput>[] = [
  {
    path: "upperPrice",
    error: "Invalid range: lowerPrice must be below upperPrice",
    holds: ({ lowerPrice, upperPrice }) => lowerPrice < upperPrice,
  },
  {
    path: "stopLossPrice",
    error: "Invalid price: stopLossPrice must be below lowerPrice",
    holds: ({ lowerPrice, stopLossPrice }) => stopLossPrice === undefined || stopLossPrice < lowerPrice,
  },
  {
    path: "takeProfitPrice",
    error: "Invalid price: takeProfitPrice must be above upperPrice",
    holds: ({ upperPrice, takeProfitPrice }) => takeProfitPrice === undefined || takeProfitPrice > upperPrice,
  },
  {
    path: "trail",
    error: "Invalid price: trail.up must be above upperPrice, trail.down below lowerPrice",
    holds: ({ lowerPrice, upperPrice, trail }) =>
      (trail?.up === undefined || trail.up > upperPrice) &&
      (trail?.down === undefined || trail.down < lowerPrice),
  },
];

// Checked as soon as both bounds are prices, whatever else is wrong, because the specification's order of labels
// requires it.
export const isRange = (value: unknown): value is RangeInput =>
  typeof value === "object" &&
  value !== null &&
  "lowerPrice" in value &&
  "upperPrice" in value &&
  typeof value.lowerPrice === "bigint" &&
  typeof value.upperPrice === "bigint";

const geometryField = <const G extends "range" | "centered">(geometry: G) =>
  wordField("Invalid request", ["range", "centered"])
    .default(geometry)
    .describe("range: between two prices; centered: around the market price");

/** Config of a grid between two prices. */
export const rangeConfig = lazy(() => {
  const { exchange: _, symbol: _s, dryRun: _d, dryBalance: _b, name: _n, ...fields } = rangeShape([]);
  return withRules(
    z.object({ geometry: geometryField("range"), ...fields, ...endingFields() }),
    BOUNDS,
    isRange,
  );
});

/** Config of a grid around the market price. */
export const centeredConfig = lazy(() => {
  const { exchange: _, symbol: _s, dryRun: _d, dryBalance: _b, name: _n, ...fields } = centeredShape([]);
  return withRules(z.object({ geometry: geometryField("centered"), ...fields, ...endingFields() }), PROFILE);
});

export const rangePreviewInput = (ids: readonly string[]) =>
  withRules(z.object(rangeShape(ids)), BOUNDS, isRange);
export const rangeInput = (ids: readonly string[]) =>
  withRules(z.object({ ...rangeShape(ids), planHash: planHash() }), BOUNDS, isRange);

interface CenteredInput {
  readonly levels: number;
  readonly spacingModel: string;
  readonly customSpacings?: readonly Decimal[] | undefined;
  readonly sizeModel: string;
  readonly sizeWeights?: readonly Decimal[] | undefined;
  readonly volatilityLow: Decimal;
  readonly volatilityHigh: Decimal;
}

const increases = (list: readonly Decimal[]): boolean =>
  list.every((value, i) => i === 0 || value > (list[i - 1] as Decimal));

export const PROFILE: readonly Rule<CenteredInput>[] = [
  {
    path: "customSpacings",
    error: "Invalid spacing: customSpacings must have one increasing share per level",
    holds: ({ spacingModel, customSpacings = [], levels }) =>
      spacingModel !== "custom" || (customSpacings.length === levels && increases(customSpacings)),
  },
  {
    path: "sizeWeights",
    error: "Invalid order size: sizeWeights must have one multiple per level",
    holds: ({ sizeModel, sizeWeights = [], levels }) =>
      sizeModel !== "custom" || sizeWeights.length === levels,
  },
  {
    path: "volatilityHigh",
    error: "Invalid request: volatilityLow must be below volatilityHigh",
    holds: ({ volatilityLow, volatilityHigh }) => volatilityLow < volatilityHigh,
  },
];

const CENTERED_LEVELS = 10;
const spacings = () =>
  z
    .array(decimalField("Invalid spacing", MAX_MULTIPLE), {
      error: "Invalid spacing: must be a list of shares",
    })
    .max(CENTERED_LEVELS, { error: "Invalid spacing: at most 10 levels" });
const weights = () =>
  z
    .array(decimalField("Invalid order size", MAX_MULTIPLE), {
      error: "Invalid order size: must be a list of multiples",
    })
    .max(CENTERED_LEVELS, { error: "Invalid order size: at most 10 levels" });

/** Fields for when a centered grid is rebuilt. */
const rebuildFields = () => ({
  deviation: decimalField("Invalid request", MAX_MULTIPLE)
    .default((15n * ONE) / 1000n)
    .describe("Distance of the price at which the grid is rebuilt, as a share of the center price"),
  deviationFrom: wordField("Invalid request", ["edge", "center"])
    .default("edge")
    .describe("Measure this distance from the outermost level or from the center"),
  debounce: countField("Invalid request", { min: 0, max: 86_400_000 })
    .default(2000)
    .describe("Minimum time between two rebuilds, in milliseconds of market time"),
});

/** Fields for how distances and sizes change outward from the center. */
const layoutFields = () => ({
  spacingModel: wordField("Invalid spacing", ["linear", "geometric", "custom"])
    .default("linear")
    .describe("How the gaps grow with distance"),
  spacingFactor: decimalField("Invalid spacing", MAX_MULTIPLE)
    .default((13n * ONE) / 10n)
    .describe("Geometric: factor from one gap to the next"),
  customSpacings: spacings()
    .optional()
    .describe("Custom: distance of each level from the center, as increasing shares"),
  sizeModel: wordField("Invalid order size", ["flat", "pyramidal", "custom"])
    .default("flat")
    .describe("How order sizes change with distance"),
  sizeWeights: weights().optional().describe("Custom: multiples of the base size, nearest level first"),
});

const volatilityFields = () => ({
  volatility: flagField("Invalid request", "volatility")
    .default(false)
    .describe("Widen the spacing in a volatile market"),
  volatilityLow: decimalField("Invalid request", MAX_MULTIPLE)
    .default(ONE / 50n)
    .describe("Volatility up to which the spacing stays normal"),
  volatilityHigh: decimalField("Invalid request", MAX_MULTIPLE)
    .default(ONE / 20n)
    .describe("Volatility from which the spacing doubles"),
});

const centeredShape = (ids: readonly string[]) => ({
  exchange: exchangeField(ids),
  symbol: pairField(),
  levels: countField("Invalid levels", { min: 1, max: CENTERED_LEVELS })
    .default(5)
    .describe("Levels on each side, 1 to 10"),
  spacing: decimalField("Invalid spacing", MAX_MULTIPLE)
    .default(ONE / 50n)
    .describe("Base spacing, as a share of the center price"),
  size: decimalField("Invalid order size")
    .default(50n * ONE)
    .describe("Base order size, in quote"),
  confidence: shareField("confidence")
    .default((6n * ONE) / 10n)
    .describe("Minimum price confidence for trading"),
  ...rebuildFields(),
  maxPosition: shareField("maxPosition")
    .default((8n * ONE) / 10n)
    .describe("Maximum cost of base, as a share of the capital"),
  safetyReserve: shareField("safetyReserve")
    .default((2n * ONE) / 10n)
    .describe("Quote that buys do not use, as a share of the capital"),
  ...layoutFields(),
  ...volatilityFields(),
  ...common(),
  ...sharesBeside(),
});

export const centeredPreviewInput = (ids: readonly string[]) =>
  withRules(z.object(centeredShape(ids)), PROFILE);
/** Options for which a centered grid has no own default. */
function sharesBeside() {
  const { confidence: _c, maxPosition: _p, safetyReserve: _r, ...others } = optionShares();
  return others;
}

/** Outside the plain API, a grid that loses money by its fees or sells your own base needs an explicit flag. */
export const CAUTIOUS = { defaults: { allowLoss: false, useOwnBase: false } } as const;

/** Flags of the fields of a range grid on the command line. */
export const RANGE_FLAGS = {
  lowerPrice: "lower",
  upperPrice: "upper",
  gridLevels: "levels",
  orderSize: "size",
  gridSpacing: "spacing",
} as const;

export const TRAIL_PARTS = {
  trail: {
    up: "Highest upper bound to which the grid follows the market",
    down: "Lowest lower bound to which the grid follows the market",
  },
} as const;
