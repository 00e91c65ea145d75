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

/** A finished day of a pair's minutes, hashed, linked to the day before it, and signed. docs/proof.md specifies it. */
export interface SignedDay {
  /** UTC day, counted from 1970. */
  readonly day: number;
  /** SHA-256 of the previous signed day; zeros without one. */
  readonly previous: string;
  /** SHA-256 of the day's text. */
  readonly hash: string;
  /** Ed25519 signature of the format's name and the hash. */
  readonly signature: string;
  /** The public key that signed it, in lower-case hexadecimal like the other texts. */
  readonly publicKey: string;
}

/** Numbers of the signed rows; none can be added, changed or deleted while the day is signed. */
export interface SignedRows {
  readonly known: number;
  /** Those with the times of own orders, which are the only values that change. */
  readonly timed: number;
  readonly missed: number;
}

/** Signs text with a private key that it does not expose. */
export interface ProofKey {
  readonly publicKey: string;
  sign(text: string): Promise<string>;
}

export const PROOF_FORMAT = "edgemaker-proof-1";
export const NO_PREVIOUS = "0".repeat(64);

/**
 * What an edit of an agreement can change: named rules for several markets over a span of days. Days are UTC days,
 * counted from 1970; both are included.
 */
export interface AgreementTerms {
  /** Who it was made with; null if not named. */
  readonly counterparty: string | null;
  readonly from: number;
  /** Null without an end. */
  readonly until: number | null;
  /** Markets with their rules, separated by commas, as in EDGEMAKER_LIQUIDITY. */
  readonly markets: string;
  /** Rules of all markets of a pair together; null without any. */
  readonly total: string | null;
}

/** One edit of an agreement, with the terms after it. Version 1 is its creation. */
export interface AgreementVersion extends AgreementTerms {
  readonly name: string;
  readonly version: number;
  readonly at: number;
  readonly actor: string;
}
