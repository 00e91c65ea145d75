/** Rules of a liquidity agreement: a preset with the agreed values. */
import type { Decimal } from "../../kernel/decimal.ts";
import type { DepthBand } from "./sample.ts";

export const PRESETS = ["mexc-st", "bitget-st", "binance-flags", "gate-score", "agreement"] as const;
export type Preset = (typeof PRESETS)[number];

/** Spreads as shares of 1, amounts in quote; the preset gives the defaults. */
export interface PromiseRequest {
  readonly spread?: Decimal | undefined;
  readonly depth?: Decimal | undefined;
  readonly band?: DepthBand | undefined;
  readonly levels?: number | undefined;
  readonly uptime?: Decimal | undefined;
}

export interface LiquidityPromise {
  readonly preset: Preset;
  readonly request: PromiseRequest;
}
