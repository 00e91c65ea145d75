import type { GridConfig } from "../../grid/state/config.ts";

/**
 * What a backtest can skip for a grid with an option: passes that cannot change anything (`wake`), or all passes, by
 * counting fills in whole numbers (`leap`). An option that is not listed needs every pass.
 */
type Fast = "leap" | "wake";

const FAST_OPTIONS: { readonly [Option in keyof GridConfig]-?: Fast | undefined } = {
  lowerPrice: "leap",
  upperPrice: "leap",
  gridLevels: "leap",
  orderSize: "leap",
  gridSpacing: "leap",
  spacingModel: "leap",
  isSpaced: "leap",
  // They move or end the whole grid at a known price (wake.ts).
  stopLossPrice: "leap",
  takeProfitPrice: "leap",
  stopAtOnce: "leap",
  triggerPrice: "leap",
  trail: "leap",
  centered: "leap",
  // They act at the start, or on one order with a known price.
  allowLoss: "leap",
  useOwnBase: "leap",
  initialBuy: "leap",
  postOnly: "leap",
  // They refuse orders while nothing fills.
  confidence: "wake",
  maxPosition: "wake",
  safetyReserve: "wake",
  bound: undefined,
};

/**
 * What a backtest can skip for a grid with an option: passes that cannot change anything (`wake`), or all passes, by
 * counting fills in whole numbers (`leap`). An option that is not listed needs every pass.
 */
export const canSkip = (skipped: Fast, config: GridConfig): boolean =>
  Object.entries(config).every(([option, value]) => {
    const most = (FAST_OPTIONS as Readonly<Record<string, Fast | undefined>>)[option];
    return value === undefined || most === "leap" || most === skipped;
  });
