import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import { MINUTE, type Millis } from "../kernel/time.ts";

/**
 * Maximum amounts of an account that an action can use, including the exits that it can trigger. Amounts are before
 * fees.
 */
export interface KnownExposure {
  readonly trades: "known";
  readonly symbol: Pair;
  /** Base of the account that it can sell, beyond what it buys back. */
  readonly base: Decimal;
  /** Quote of the account that it can spend, beyond what its sells return. */
  readonly quote: Decimal;
  /** Value in quote of the bought base that the action's own exit can sell again. */
  readonly exits: Decimal;
  /** Amount that counts toward limits, in quote: the base at the mid price, the quote and the exits. */
  readonly counted: Decimal;
  /** Its largest order, in quote. */
  readonly largest: Decimal;
  /** Why the amount is so large, if its parts do not show it. */
  readonly note?: string | undefined;
}

export interface UnknownExposure {
  readonly trades: "unknown";
  readonly why: string;
}

export type Exposure = { readonly trades: "nothing" } | KnownExposure | UnknownExposure;

/** Exposure of actions that only cancel, and of paper trading. */
export const NO_EXPOSURE: Exposure = { trades: "nothing" };

/** Describes what a call would do, without doing it. */
export interface Preview {
  /** Describes the action in one sentence. */
  readonly what: string;
  /** The cost now, and the possible cost later. */
  readonly cost: string;
  readonly worstCase: string;
  /** Limits that apply to it: minimums, funds, switches. */
  readonly limits: readonly string[];
  /** For a stored plan: the maximum that a commit can sell and buy. */
  readonly exposure?: Exposure;
  /** Whether it concerns paper trading only, which no person has to approve. */
  readonly isPaper?: boolean;
  /** Input with which a commit does exactly what the preview showed, or nothing. */
  readonly holds?: Readonly<Record<string, string>>;
}

/** Marks paper trading beside what is named before it, so that nobody takes it for real money. */
export const paperMark = (isPaper: boolean): string => (isPaper ? " (paper trading)" : "");

/** A stored preview, until a commit consumes it. */
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

/** How long a preview can be committed; prices change. */
export const PLAN_LIFE: Millis = 5 * MINUTE;
