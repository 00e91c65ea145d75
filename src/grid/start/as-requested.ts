import type * as z from "zod";
import { requestedEndings } from "../../engine/operations/ending-fields.ts";
import { AppError, labelledError } from "../../kernel/errors.ts";
import {
  BOUNDS,
  centeredConfig,
  centeredPreviewInput,
  PROFILE,
  rangeConfig,
  type rangePreviewInput,
} from "../schema/input.ts";
import { type CenteredConfig, type GridConfig, optionsOf } from "../state/config.ts";
import { type CenteredRequest, centeredOf, type RequestedRange, requestedRangeOf } from "./check.ts";

type TradesWhere = "exchange" | "symbol" | "dryRun" | "dryBalance";
type RangeFields = Omit<z.output<ReturnType<typeof rangePreviewInput>>, TradesWhere>;
type CenteredFields = Omit<z.output<ReturnType<typeof centeredPreviewInput>>, TradesWhere>;

/** Returns the start input that leads to this configuration of a range grid. */
function rangeFields({ gridSpacing, isSpaced, centered: _, ...request }: GridConfig) {
  // A computed spacing is computed again.
  return isSpaced ? { ...request, gridSpacing } : request;
}

/** Returns the same for a centered grid. */
function centeredFields(config: GridConfig, centered: CenteredConfig): CenteredFields {
  const { orderSize: size } = config;
  const { volatility, customSpacings, sizeWeights, ...profile } = centered;
  const { shape } = centeredPreviewInput([]);
  return {
    ...profile,
    customSpacings: customSpacings && [...customSpacings],
    sizeWeights: sizeWeights && [...sizeWeights],
    size,
    ...optionsOf(config),
    confidence: config.confidence ?? shape.confidence.parse(undefined),
    maxPosition: config.maxPosition ?? shape.maxPosition.parse(undefined),
    safetyReserve: config.safetyReserve ?? shape.safetyReserve.parse(undefined),
    volatility: volatility !== undefined,
    volatilityLow: volatility?.low ?? shape.volatilityLow.parse(undefined),
    volatilityHigh: volatility?.high ?? shape.volatilityHigh.parse(undefined),
  };
}

/** Returns the config of a start that leads to this configuration. */
export function gridSettingsOf(config: GridConfig): Readonly<Record<string, unknown>> {
  const { centered } = config;
  const { bound: _, trailingStop: _percent, ...fields } = rangeFields(config);
  return centered
    ? { geometry: "centered", ...centeredFields(config, centered), ...requestedEndings(config) }
    : { geometry: "range", ...fields, ...requestedEndings(config) };
}

/**
 * Returns a grid's configuration as start input, with some values replaced. Throws AppError for a field that the grid
 * does not have, and for invalid combinations.
 */
export function requestedAs(
  config: GridConfig,
  changes: Readonly<Record<string, unknown>>,
): RequestedRange | CenteredRequest {
  const { centered } = config;
  const { geometry: _, ...known } = (centered ? centeredConfig() : rangeConfig()).shape;
  const strange = Object.keys(changes).find((name) => !Object.hasOwn(known, name));
  if (strange !== undefined)
    throw new AppError(
      "Invalid request",
      `${strange} is not a setting of ${centered ? "a centered grid" : "a grid between two prices"}`,
    );
  if (!centered) {
    const fields: RangeFields = { ...rangeFields(config), ...changes };
    refuseBroken(BOUNDS, fields);
    return requestedRangeOf(fields as never);
  }
  const fields = { ...centeredFields(config, centered), ...changes };
  refuseBroken(PROFILE, fields);
  return centeredOf(fields as never);
}

function refuseBroken<T>(
  rules: readonly { readonly error: string; readonly holds: (request: T) => boolean }[],
  fields: T,
): void {
  const broken = rules.find(({ holds }) => !holds(fields));
  if (broken) throw labelledError(broken.error);
}
