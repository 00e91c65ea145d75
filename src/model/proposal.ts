import type { Decimal } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";

/** What a call would do, told without doing any of it. */
export interface Preview {
  /** Exactly what, in one sentence. */
  readonly what: string;
  /** What it costs as things are now, and what it can come to. */
  readonly cost: string;
  readonly worstCase: string;
  /** Limits that it touches: minimums, funds, switches. */
  readonly limits: readonly string[];
  /** The most quote that it can come to use, before fees. */
  readonly uses?: { readonly asset: string; readonly amount: Decimal; readonly reason?: string };
  /** Input with which a commit does what was shown, or nothing. */
  readonly holds?: Readonly<Record<string, string>>;
}

/** A preview that was shown, until a commit consumes it. */
export interface Plan {
  readonly id: string;
  readonly actor: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly preview: Preview;
  readonly decision: "approved" | "refused" | null;
  /** Protocol time. */
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}
