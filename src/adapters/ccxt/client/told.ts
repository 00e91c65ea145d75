import type { VenueFailure } from "../../../kernel/errors.ts";
import { plainText } from "../../../kernel/plain-text.ts";

/**
 * Why a call did not give what was asked, in our words. `definite` says that the exchange refused it before
 * it did anything: only then is a write known to have had no effect.
 */
export interface CallFailure {
  readonly failure: VenueFailure;
  readonly definite: boolean;
  readonly reason: string;
  /** There is no such order, or no open one. */
  readonly missing?: boolean;
  /** Signing again with a higher nonce may help. */
  readonly nonce?: boolean;
  /** It may only rest, and would have taken. */
  readonly wouldTake?: boolean;
  /** The market's rules are others than those that we have stored. */
  readonly stale?: boolean;
  /** The account is of the other kind, and is to be asked by other calls. */
  readonly otherKind?: boolean;
  /** The key is a right one, and lacks the right to this. */
  readonly forbidden?: boolean;
  /** There is not enough money where the order would take it from. */
  readonly short?: boolean;
}

/**
 * What a code of an exchange means; see the tables of the exchanges' files. Of a create all but `missing` say that
 * no order was made: a code is in a table only where the exchange's document, or ccxt's table of `exceptions`,
 * leaves no doubt of that.
 */
export type Meaning =
  | "credentials"
  | "forbidden"
  | "nonce"
  | "clock"
  | "limits"
  | "rules"
  | "unlisted"
  | "refused"
  | "taking"
  | "short"
  | "kind"
  | "missing";

const MEANINGS: Record<Meaning, Omit<CallFailure, "reason">> = {
  credentials: { failure: "invalid_credentials", definite: true },
  forbidden: { failure: "invalid_credentials", definite: true, forbidden: true },
  nonce: { failure: "unavailable", definite: true, nonce: true },
  clock: { failure: "unavailable", definite: true },
  limits: { failure: "rate_limited", definite: true },
  rules: { failure: "refused", definite: true, stale: true },
  // Its market may have been closed since it was loaded.
  unlisted: { failure: "unlisted", definite: true, stale: true },
  refused: { failure: "refused", definite: true },
  short: { failure: "refused", definite: true, short: true },
  kind: { failure: "unavailable", definite: true, otherKind: true },
  taking: { failure: "refused", definite: true, wouldTake: true },
  missing: { failure: "refused", definite: false, missing: true },
};

/** Codes, parted by spaces, by what they mean. */
export const meanings = (result: Partial<Record<Meaning, string>>): Readonly<Record<string, Meaning>> =>
  Object.fromEntries(
    Object.entries(result).flatMap(([meaning, codes]) =>
      codes.split(" ").map((code) => [code, meaning as Meaning]),
    ),
  );

export interface ExchangeRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A refusal that none of the exchange's tables knows leaves open what happened. */
export function tellRefusal(
  { status, code, message }: ExchangeRefusal,
  meaning: Meaning | undefined,
): CallFailure {
  // The code first: a long text is cut at its end.
  const reason = plainText(message === "" ? code : `${code}: ${message}`, 200);
  // A server that failed may have failed after it acted, whatever it says.
  if (status >= 500 || meaning === undefined || !Object.hasOwn(MEANINGS, meaning))
    return { failure: status === 429 ? "rate_limited" : "unavailable", definite: false, reason };
  return { ...MEANINGS[meaning], reason };
}

/** The call itself failed: no answer, or none that can be read. */
export const noAnswer = (reason: string): CallFailure => ({
  failure: "unavailable",
  definite: false,
  reason,
});

/** Thrown through ccxt from our own transport, so that no error of ccxt's, which may carry a signed url, is needed. */
export class CallFailed extends Error {
  readonly failure: CallFailure;

  constructor(callFailure: CallFailure) {
    super(callFailure.reason);
    this.name = "CallFailed";
    this.failure = callFailure;
  }
}

export const TOO_LATE = "the request could not be sent in time";
export const CLOCK_BEHIND =
  "the database's clock is behind this machine's clock; synchronize both, because no order is sent until then";

/** Our own guard kept the request from leaving. */
export class NotSent extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "NotSent";
  }
}
