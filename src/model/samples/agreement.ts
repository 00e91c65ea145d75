/** Agreements: named rules for several markets over a span of days. */

/** What an edit can change. Days are UTC days, counted from 1970; both are included. */
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
