import type { VenueFailure } from "../../errors.ts";

/**
 * Why a call did not give what was asked, in our words. `definite` says that the exchange refused it before
 * it did anything: only then is a write known to have had no effect.
 */
export interface Told {
  readonly failure: VenueFailure;
  readonly definite: boolean;
  readonly reason: string;
  /** There is no such order, or no open one. */
  readonly missing?: boolean;
  /** Signing again with a higher nonce may help. */
  readonly nonce?: boolean;
  /** The market's rules are others than those that we have stored. */
  readonly stale?: boolean;
}

/** What a code of an exchange means; see the tables of the exchanges' files. */
export type Meaning =
  | "credentials"
  | "nonce"
  | "clock"
  | "limits"
  | "rules"
  | "unlisted"
  | "refused"
  | "missing";

const MEANINGS: Record<Meaning, Omit<Told, "reason">> = {
  credentials: { failure: "invalid_credentials", definite: true },
  nonce: { failure: "unavailable", definite: true, nonce: true },
  clock: { failure: "unavailable", definite: true },
  limits: { failure: "rate_limited", definite: true },
  rules: { failure: "refused", definite: true, stale: true },
  unlisted: { failure: "unlisted", definite: true },
  refused: { failure: "refused", definite: true },
  missing: { failure: "refused", definite: false, missing: true },
};

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A refusal that none of the exchange's tables knows leaves open what happened. */
export function tellRefusal({ status, code, message }: Refusal, meaning: Meaning | undefined): Told {
  const reason = plainText(message === "" ? code : `${message} (${code})`);
  // A server that failed may have failed after it acted, whatever it says.
  if (status >= 500 || meaning === undefined || !Object.hasOwn(MEANINGS, meaning))
    return { failure: status === 429 ? "rate_limited" : "unavailable", definite: false, reason };
  return { ...MEANINGS[meaning], reason };
}

/** The call itself failed: no answer, or none that can be read. */
export const noAnswer = (reason: string): Told => ({ failure: "unavailable", definite: false, reason });

/** Text of another's making, for a person to read: bounded, and nothing in it that steers a terminal or a reader. */
export const plainText = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu, " ")
    .trim()
    .slice(0, 200);

/** Thrown through ccxt from our own transport, so that no error of ccxt's, which may carry a signed url, is needed. */
export class CallFailed extends Error {
  readonly told: Told;

  constructor(told: Told) {
    super(told.reason);
    this.name = "CallFailed";
    this.told = told;
  }
}

/** Our own guard kept the request from leaving. */
export class NotSent extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "NotSent";
  }
}
