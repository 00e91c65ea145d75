/** The signed text of a day, and the published bundle of days: docs/proof.md. */
import { MINUTE } from "../kernel/time.ts";
import { PROOF_FORMAT, type WatchedPair } from "../model/samples/promise.ts";
import type { LiquidityMinute, MissedMinute } from "../model/samples/sample.ts";
import { minuteRow } from "./report.ts";

/** The first line of a bundle. */
export interface BundleHead extends WatchedPair {
  readonly format: typeof PROOF_FORMAT;
  readonly publicKey: string;
}

/** Every other line. */
export interface BundleDay {
  /** YYYY-MM-DD, in UTC. */
  readonly day: string;
  readonly previous: string;
  /** One per minute: the columns of a sample, or `miss`, its time and its cause. */
  readonly lines: readonly string[];
  readonly hash: string;
  readonly signature: string;
}

/**
 * Returns samples in order, then minutes without one in order. Times are milliseconds since 1970; unknown values are
 * empty.
 */
export const proofLines = (
  rows: readonly LiquidityMinute[],
  misses: readonly MissedMinute[],
): readonly string[] => [
  ...rows.map((row) =>
    minuteRow(row)
      .map((value) => value ?? "")
      .join(","),
  ),
  ...misses.map(({ minute, cause }) => `miss,${minute * MINUTE},${cause}`),
];

/** Returns the text whose hash identifies a day. */
export const dayText = (
  { exchange, symbol }: WatchedPair,
  { day, previous, lines }: Pick<BundleDay, "day" | "previous" | "lines">,
): string => [PROOF_FORMAT, `${exchange} ${symbol}`, day, previous, ...lines].join("\n");

export const signedText = (hash: string): string => `${PROOF_FORMAT} ${hash}`;
