import * as z from "zod";
import { ONE } from "../../kernel/decimal.ts";
import {
  countField,
  decimalField,
  exchangeField,
  flagField,
  MOST_MULTIPLE,
  pairField,
  shareField,
  wordField,
} from "../../kernel/fields.ts";
import { optionShares } from "../state/options.ts";
import { common } from "./input-fields.ts";

const CENTERED_LEVELS = 10;
const spacings = () =>
  z
    .array(decimalField("Invalid spacing", MOST_MULTIPLE), {
      error: "Invalid spacing: must be a list of shares",
    })
    .max(CENTERED_LEVELS, { error: "Invalid spacing: at most 10 levels" });
const weights = () =>
  z
    .array(decimalField("Invalid order size", MOST_MULTIPLE), {
      error: "Invalid order size: must be a list of multiples",
    })
    .max(CENTERED_LEVELS, { error: "Invalid order size: at most 10 levels" });

/** Options for which a centered grid has no own default. */
function sharesBeside() {
  const { confidence: _c, maxPosition: _p, safetyReserve: _r, ...others } = optionShares();
  return others;
}

export const centeredShape = (ids: readonly string[]) => ({
  exchange: exchangeField(ids),
  symbol: pairField(),
  levels: countField("Invalid levels", { least: 1, most: CENTERED_LEVELS })
    .default(5)
    .describe("Levels on each side, 1 to 10"),
  spacing: decimalField("Invalid spacing", MOST_MULTIPLE)
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

/** Fields for when a centered grid is rebuilt. */
const rebuildFields = () => ({
  deviation: decimalField("Invalid request", MOST_MULTIPLE)
    .default((15n * ONE) / 1000n)
    .describe("Distance of the price at which the grid is rebuilt, as a share of the center price"),
  deviationFrom: wordField("Invalid request", ["edge", "center"])
    .default("edge")
    .describe("Measure this distance from the outermost level or from the center"),
  debounce: countField("Invalid request", { least: 0, most: 86_400_000 })
    .default(2000)
    .describe("Minimum time between two rebuilds, in milliseconds of market time"),
});

/** Fields for how distances and sizes change outward from the center. */
const layoutFields = () => ({
  spacingModel: wordField("Invalid spacing", ["linear", "geometric", "custom"])
    .default("linear")
    .describe("How the gaps grow with distance"),
  spacingFactor: decimalField("Invalid spacing", MOST_MULTIPLE)
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
  volatilityLow: decimalField("Invalid request", MOST_MULTIPLE)
    .default(ONE / 50n)
    .describe("Volatility up to which the spacing stays normal"),
  volatilityHigh: decimalField("Invalid request", MOST_MULTIPLE)
    .default(ONE / 20n)
    .describe("Volatility from which the spacing doubles"),
});
