import type * as z from "zod";
import type { centeredPreviewInput, rangePreviewInput } from "../schema/input.ts";
import { besideOptions, optionsOf } from "../state/options.ts";
import type { CenteredRequest, RequestedRange } from "./check.ts";

/** A range grid's input without where it trades. */
export function requestedRangeOf({
  exchange: _exchange,
  symbol: _symbol,
  dryRun: _dryRun,
  dryBalance: _dryBalance,
  ...request
}: z.output<ReturnType<typeof rangePreviewInput>>): RequestedRange {
  return request;
}

/** A centered grid's input in the words of the strategy. */
export function centeredOf(request: z.output<ReturnType<typeof centeredPreviewInput>>): CenteredRequest {
  const {
    exchange: _exchange,
    symbol: _symbol,
    dryRun: _dryRun,
    dryBalance: _dryBalance,
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
