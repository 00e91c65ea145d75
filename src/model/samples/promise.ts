/** Rules of a liquidity agreement: a preset with the agreed values. */
import type { Decimal } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { DepthBand } from "./sample.ts";

export const PRESETS = ["mexc-st", "bitget-st", "binance-flags", "gate-score", "agreement"] as const;
export type Preset = (typeof PRESETS)[number];

/** Spreads as shares of 1, amounts in quote. */
export interface PromiseTerms {
  /** Maximum spread of own orders on both sides. */
  readonly spread: Decimal;
  /** Minimum mean depth on each side within the band. */
  readonly depth: Decimal;
  readonly band: DepthBand;
  /** Number of own orders per side. */
  readonly levels: number;
  /** Required share of the time. */
  readonly uptime: Decimal;
}

/** The agreed terms; the preset gives the defaults. */
export type PromiseRequest = { readonly [Term in keyof PromiseTerms]?: PromiseTerms[Term] | undefined };

export interface LiquidityPromise {
  readonly preset: Preset;
  readonly request: PromiseRequest;
}

/** A pair of a configured exchange whose order book is sampled. */
export interface WatchedPair {
  readonly exchange: string;
  readonly symbol: Pair;
}

/** A sampled pair with its rules. */
export interface PromisedPair extends WatchedPair {
  readonly promise?: LiquidityPromise | undefined;
  /** Name of the stored agreement; absent for a pair of the settings. */
  readonly agreement?: string | undefined;
  /** Last day of this agreement; null without an end. Its pairs are sampled a day longer. */
  readonly until?: number | null | undefined;
}
