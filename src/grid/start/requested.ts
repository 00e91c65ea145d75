import type * as z from "zod";
import type { centeredPreviewInput, rangePreviewInput } from "../schema/input.ts";
import { besideOptions, optionsOf } from "../state/options.ts";
import type { CenteredRequest, RequestedRange } from "./check.ts";

/** Returns a range grid's input without its exchange and pair. */
export function requestedRangeOf({
  exchange: _exchange,
  symbol: _symbol,
  dryRun: _dryRun,
  dryBalance: _dryBalance,
  name: _name,
  ...request
}: z.output<ReturnType<typeof rangePreviewInput>>): RequestedRange {
  return request;
}

/** Converts a centered grid's input to the strategy's configuration. */
export function centeredOf(request: z.output<ReturnType<typeof centeredPreviewInput>>): CenteredRequest {
  const {
    exchange: _exchange,
    symbol: _symbol,
    dryRun: _dryRun,
    dryBalance: _dryBalance,
    name: _name,
    size,
    volatility,
    volatilityLow,
    volatilityHigh,
    ...centered
  } = besideOptions(request);
  return {
    ...optionsOf(request),
    orderSize: size,
    centered: {
      ...centered,
      ...(volatility ? { volatility: { low: volatilityLow, high: volatilityHigh } } : {}),
    },
  };
}
