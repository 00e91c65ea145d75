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

/** Those that a centered grid has no default of its own for. */
function sharesBeside() {
  const { confidence: _c, maxPosition: _p, safetyReserve: _r, ...others } = optionShares();
  return others;
}

export const centeredShape = (ids: readonly string[]) => ({
  exchange: exchangeField(ids),
  symbol: pairField(),
  levels: countField("Invalid levels", { least: 1, most: CENTERED_LEVELS })
    .default(5)
    .describe("Levels each side, 1 to 10; twice as many orders rest"),
  spacing: decimalField("Invalid spacing", MOST_MULTIPLE)
    .default(ONE / 50n)
    .describe("Base spacing, as a share of the center price"),
  size: decimalField("Invalid order size")
    .default(50n * ONE)
    .describe("Base order size, in quote"),
  confidence: shareField("confidence")
    .default((6n * ONE) / 10n)
    .describe("Least price confidence to trade"),
  ...rebuildFields(),
  maxPosition: shareField("maxPosition")
    .default((8n * ONE) / 10n)
    .describe("Most cost of base, as a share of the capital"),
  safetyReserve: shareField("safetyReserve")
    .default((2n * ONE) / 10n)
    .describe("Quote that buys leave alone, as a share of the capital"),
  ...layoutFields(),
  ...volatilityFields(),
  ...common(),
  ...sharesBeside(),
});

/** When a centered grid is laid out anew. */
const rebuildFields = () => ({
  deviation: decimalField("Invalid request", MOST_MULTIPLE)
    .default((15n * ONE) / 1000n)
    .describe("How far the price leaves the grid before it is laid out anew, as a share of the center price"),
  deviationFrom: wordField("Invalid request", ["edge", "center"])
    .default("edge")
    .describe("Measures the deviation from the outermost level or from the center"),
  debounce: countField("Invalid request", { least: 0, most: 86_400_000 })
    .default(2000)
    .describe("Least milliseconds of market time between two rebuilds"),
});

/** How gaps and sizes go outwards from the center. */
const layoutFields = () => ({
  spacingModel: wordField("Invalid spacing", ["linear", "geometric", "custom"])
    .default("linear")
    .describe("How gaps grow outwards"),
  spacingFactor: decimalField("Invalid spacing", MOST_MULTIPLE)
    .default((13n * ONE) / 10n)
    .describe("Geometric: each gap times the one before"),
  customSpacings: spacings()
    .optional()
    .describe("Custom: each level's distance from the center, increasing shares"),
  sizeModel: wordField("Invalid order size", ["flat", "pyramidal", "custom"])
    .default("flat")
    .describe("How sizes fall outwards"),
  sizeWeights: weights().optional().describe("Custom: multiples of the base size, the nearest level's first"),
});

const volatilityFields = () => ({
  volatility: flagField("Invalid request", "volatility")
    .default(false)
    .describe("Widens the spacing in a volatile market"),
  volatilityLow: decimalField("Invalid request", MOST_MULTIPLE)
    .default(ONE / 50n)
    .describe("Up to it spacing stays normal"),
  volatilityHigh: decimalField("Invalid request", MOST_MULTIPLE)
    .default(ONE / 20n)
    .describe("From it on spacing is doubled"),
});
