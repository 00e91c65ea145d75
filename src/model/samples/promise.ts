/** What is asked of a market: a rule by its name, with what a person has agreed. */
import type { Decimal } from "../../kernel/decimal.ts";
import type { DepthBand } from "./sample.ts";

export const PRESETS = ["mexc-st", "bitget-st", "gate-score", "agreement"] as const;
export type Preset = (typeof PRESETS)[number];

/** Shares of 1, and quote; what is left out is what the preset says. */
export interface PromiseRequest {
  readonly spread?: Decimal | undefined;
  readonly depth?: Decimal | undefined;
  readonly band?: DepthBand | undefined;
  readonly levels?: number | undefined;
  readonly uptime?: Decimal | undefined;
}

export interface LiquidityPromise {
  readonly preset: Preset;
  readonly asked: PromiseRequest;
}
