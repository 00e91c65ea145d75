import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import { MINUTE, type Millis } from "../kernel/time.ts";

/** The most of an account that an action can use, by itself and by the exits that it can trigger. Amounts are before fees. */
export interface KnownExposure {
  readonly trades: "known";
  readonly symbol: Pair;
  /** Base of the account that it can sell, beyond what it buys back. */
  readonly base: Decimal;
  /** Quote of the account that it can spend, beyond what its sells return. */
  readonly quote: Decimal;
  /** Quote's worth of what it buys that an exit of its own can sell again. */
  readonly exits: Decimal;
  /** The base at the mid, the quote and the exits together: what limits count, in quote. */
  readonly counted: Decimal;
  /** Its largest order, in quote. */
  readonly largest: Decimal;
  /** What makes it so large, where its parts do not show that. */
  readonly note?: string | undefined;
}

export interface UnknownExposure {
  readonly trades: "unknown";
  readonly why: string;
}

export type Exposure = { readonly trades: "nothing" } | KnownExposure | UnknownExposure;

/** Of what only cancels, and of paper trading. */
export const TRADES_NOTHING: Exposure = { trades: "nothing" };

/** What a call would do, told without doing any of it. */
export interface Preview {
  /** Exactly what, in one sentence. */
  readonly what: string;
  /** What it costs as things are now, and what it can come to. */
  readonly cost: string;
  readonly worstCase: string;
  /** Limits that it touches: minimums, funds, switches. */
  readonly limits: readonly string[];
  /** Of a plan that was stored: what a commit may sell and buy at most. */
  readonly exposure?: Exposure;
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

/** A preview can be committed for so long: prices move on. */
export const PLAN_LIFE: Millis = 5 * MINUTE;
