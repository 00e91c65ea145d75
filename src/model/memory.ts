/** What is stored. Protocol time is the store's clock, market time the venue's. */
import type { Decimal } from "../kernel/decimal.ts";
import type { VenueFailure } from "../kernel/errors.ts";
import type { Millis } from "../kernel/time.ts";
import type { Balance } from "./account.ts";

/** How far a venue's price can be trusted, 0 to 1, and why. */
export interface Confidence {
  readonly value: Decimal;
  readonly source: string;
  /** Protocol time of the answers behind it, and of when they were last asked for. */
  readonly at: Millis;
  readonly askedAt: Millis;
}

/** What other places say that a pair is worth, each with the protocol time of its answer. */
export interface Elsewhere {
  readonly prices: readonly { readonly source: string; readonly price: Decimal; readonly at: Millis }[];
  /** When they were last asked, and when the pair's own book was last read; null for never. */
  readonly askedAt: Millis | null;
  readonly bookAt: Millis | null;
}

/** A result that is watched for what it loses from its best so far, in quote. */
export interface LossWatch {
  readonly peak: Decimal;
  /** Why nothing more is placed; null while the loss is within its limit. */
  readonly over: string | null;
  /** The limits and the count of resumes under which it was judged. */
  readonly version: number;
  readonly resumes: number;
}

/** By quote asset; `closed` is the result of strategies that have stopped since the limit was set. */
export type Losses = Readonly<Record<string, { readonly closed: Decimal; readonly watch: LossWatch | null }>>;

/** The last price of a symbol, in market time `at`, and the market's lot. */
export interface Mark {
  readonly mid: Decimal;
  readonly at: Millis;
  readonly lot?: Decimal | undefined;
  /** Protocol time of the pass that has read it. */
  readonly seenAt?: Millis;
}

/** What the step remembers of an account. */
export interface AccountMemory {
  /** Totals at the first strategy's start, from which other changes are counted. */
  readonly baseline: Readonly<Record<string, Decimal>> | null;
  /** What strategies' fills have moved since. */
  readonly moved: Readonly<Record<string, Decimal>>;
  readonly balances: readonly Balance[] | null;
  /** What strategies' fills had moved when these were read. */
  readonly movedBefore?: Readonly<Record<string, Decimal>>;
  readonly marks: Readonly<Record<string, Mark>>;
  /** Of prices, per symbol, where a strategy asks for it. */
  readonly confidence?: Readonly<Record<string, Confidence>>;
  /** What other places say, per symbol, where a strategy goes by that. */
  readonly elsewhere?: Readonly<Record<string, Elsewhere>>;
  /** Where the account's loss is limited. */
  readonly losses?: Losses;
  /** Orders that trades have named and that are no grid's, newest last. */
  readonly foreign: readonly string[];
  /** Trades that cannot be booked and that an event has named, newest last. */
  readonly unreadable?: readonly string[] | undefined;
  /** Protocol time at which a pair's trades were last read, all that there were. */
  readonly tradesAt?: Readonly<Record<string, Millis>>;
  /** Strategies of which an event has said that their stop price is not watched. */
  readonly unwatched?: readonly string[] | undefined;
  /** Why the last pass was not complete, where its exchange was what kept it; absent once one is. */
  readonly failed?: VenueFailure | undefined;
  /** How often the process steps it that has made the last complete pass. */
  readonly interval?: Millis;
  /** Where the next pass begins when this one ran out of budget. */
  readonly turn: number;
}

export const NO_MEMORY: AccountMemory = {
  baseline: null,
  moved: {},
  balances: null,
  marks: {},
  foreign: [],
  turn: 0,
};
