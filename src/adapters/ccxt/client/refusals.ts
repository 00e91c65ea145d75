import type { VenueFailure } from "../../../kernel/errors.ts";
import { plainText } from "../../../kernel/plain-text.ts";

/**
 * Why a call returned no result. `definite` means that the exchange rejected it before any effect; only then is a
 * write known to have had none.
 */
export interface CallFailure {
  readonly failure: VenueFailure;
  readonly definite: boolean;
  readonly reason: string;
  /** Whether there is no such order, or no open one. */
  readonly missing?: boolean;
  /** Whether signing again with a higher nonce can help. */
  readonly nonce?: boolean;
  /** Whether a post-only order would have been a taker order. */
  readonly wouldTake?: boolean;
  /** Whether the market's rules differ from the stored ones. */
  readonly stale?: boolean;
  /** Whether the account is of the other kind, which needs other calls. */
  readonly otherKind?: boolean;
  /** Whether the key is valid but lacks this permission. */
  readonly forbidden?: boolean;
  /** Whether the balance is insufficient. */
  readonly short?: boolean;
}

/**
 * Meaning of an exchange's error code; see the tables in the exchanges' files. For a create, every meaning except
 * `missing` proves that no order exists. So a table contains a code only if the exchange's documentation or ccxt's
 * `exceptions` table leaves no doubt.
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
  // Its market could have been closed since it was loaded.
  unlisted: { failure: "unlisted", definite: true, stale: true },
  refused: { failure: "refused", definite: true },
  short: { failure: "refused", definite: true, short: true },
  kind: { failure: "unavailable", definite: true, otherKind: true },
  taking: { failure: "refused", definite: true, wouldTake: true },
  missing: { failure: "refused", definite: false, missing: true },
};

/** Builds a table from space-separated codes by meaning. */
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

/** Converts an exchange's rejection; an unknown code leaves the result open. */
export function tellRefusal(
  { status, code, message }: ExchangeRefusal,
  meaning: Meaning | undefined,
): CallFailure {
  // The code first, because a long text is cut at its end.
  const reason = plainText(message === "" ? code : `${code}: ${message}`, 200);
  // A server error can occur after the action, whatever its text says.
  if (status >= 500 || meaning === undefined || !Object.hasOwn(MEANINGS, meaning))
    return { failure: status === 429 ? "rate_limited" : "unavailable", definite: false, reason };
  return { ...MEANINGS[meaning], reason };
}

/** Returns the failure of a call without a readable response. */
export const noAnswer = (reason: string): CallFailure => ({
  failure: "unavailable",
  definite: false,
  reason,
});

/** Error that our transport throws through ccxt, so no ccxt error, which could contain a signed URL, is needed. */
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

/** Error for a request that our own check kept from being sent. */
export class NotSent extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "NotSent";
  }
}
