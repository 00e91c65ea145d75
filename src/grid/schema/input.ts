import * as z from "zod";
import type { Decimal } from "../../kernel/decimal.ts";
import {
  countField,
  decimalField,
  exchangeField,
  flagField,
  idField,
  pairField,
  wordField,
} from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { flag, planHash, price } from "../../kernel/start-fields.ts";
import { stopFields } from "../../kernel/stop-flags.ts";
import { optionShares } from "../state/options.ts";
import { centeredShape } from "./centered-fields.ts";
import { common } from "./input-fields.ts";

const rangeShape = (ids: readonly string[]) => ({
  exchange: exchangeField(ids),
  symbol: pairField(),
  lowerPrice: decimalField("Invalid range").describe("Lowest level, in quote"),
  upperPrice: decimalField("Invalid range").describe("Highest level, in quote"),
  gridLevels: countField("Invalid levels", { least: 2, most: 100 }).describe(
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

export const centeredPreviewInput = (ids: readonly string[]) =>
  withRules(z.object(centeredShape(ids)), PROFILE);
export const centeredInput = (ids: readonly string[]) =>
  withRules(z.object({ ...centeredShape(ids), planHash: planHash() }), PROFILE);

export const stopInput = lazy(() =>
  z
    .object({
      id: idField("Invalid request").describe("Strategy id"),
      cancelOrders: flagField("Invalid request", "cancelOrders")
        .default(true)
        .describe("false leaves the open orders on the exchange"),
      ...stopFields(),
    })
    .refine(({ cancelOrders, sellBase }) => cancelOrders || !sellBase, {
      path: ["sellBase"],
      error: "Invalid request: sellBase needs cancelOrders: orders that stay open lock the base",
    }),
);
