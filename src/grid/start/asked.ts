import type * as z from "zod";
import type { centeredPreviewInput, rangePreviewInput } from "../schema/input.ts";
import type { Asked, AskedCentered } from "./check.ts";

/** A range grid's input without where it trades. */
export function rangeOf({
  exchange: _exchange,
  symbol: _symbol,
  dryRun: _dryRun,
  dryBalance: _dryBalance,
  ...asked
}: z.output<ReturnType<typeof rangePreviewInput>>): Asked {
  return asked;
}

/** A centered grid's input in the words of the strategy. */
export function centeredOf({
  exchange: _exchange,
  symbol: _symbol,
  dryRun: _dryRun,
  dryBalance: _dryBalance,
  size,
  confidence,
  maxPosition,
  safetyReserve,
  allowLoss,
  useOwnBase,
  initialBuy,
  postOnly,
  volatility,
  volatilityLow,
  volatilityHigh,
  ...centered
}: z.output<ReturnType<typeof centeredPreviewInput>>): AskedCentered {
  return {
    orderSize: size,
    confidence,
    maxPosition,
    safetyReserve,
    allowLoss,
    useOwnBase,
    initialBuy,
    postOnly,
    centered: {
      ...centered,
      ...(volatility ? { volatility: { low: volatilityLow, high: volatilityHigh } } : {}),
    },
  };
}
