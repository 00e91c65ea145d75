import { type Decimal, ONE } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { LimitCode } from "../../limits/allowed.ts";
import type { LossWatch } from "../../model/records.ts";
import type { TimeInForce } from "../../ports/deps.ts";
import type { GridConfig } from "./config.ts";
import type { Lot } from "./lots.ts";

export type { GridConfig };

/**
 * The interval between two neighbouring levels. It rests a buy at `lower` or a sell at `upper`.
 * Held now: base − sold, at a cost of cost − cost·sold/base (see booking.ts).
 */
export interface Slot {
  /** Its number within the generation. */
  readonly index: number;
  readonly lower: Decimal;
  readonly upper: Decimal;
  /** Quote per order. */
  readonly size: Decimal;
  readonly side: "buy" | "sell";
  /** Sequence of its next order; never falls, also across generations. */
  readonly sequence: number;
  /** Base bought in the cycle under way, before fees. */
  readonly bought: Decimal;
  readonly base: Decimal;
  readonly cost: Decimal;
  readonly sold: Decimal;
  /** Where what it holds is sold, when that is above `upper`: below it the sell would not cover its cost. */
  readonly sellAt?: Decimal;
  /** Holds first base: its sell realises profit but completes no cycle. */
  readonly first: boolean;
  /** Completed so far. */
  readonly cycles: number;
  /** Protocol time before which it places nothing, after a venue refused its order. */
  readonly retryAt: number;
  /** Orders of it that a venue has refused since it last took one. */
  readonly rejects?: number;
  /** Orders of it that ended unseen since a venue last took one: nobody said whether they were taken. */
  readonly lost?: number;
  /** How often in a row a limit has refused its order, until when none is tried, and under which limits. */
  readonly limited?: { readonly times: number; readonly until: Millis; readonly version: number };
}

/** What fills have moved since the start. Nothing here is an estimate. */
export interface Ledger {
  /** Change of quote by fills, fees in quote included. */
  readonly quote: Decimal;
  /** Own base taken over at the start price. */
  readonly firstBase: Decimal;
  readonly firstCost: Decimal;
  readonly realized: Decimal;
  /** Fees paid so far per asset. */
  readonly fees: Readonly<Record<string, Decimal>>;
  /** Cash in assets other than base and quote: fees taken in them, so never above zero. */
  readonly cash: Readonly<Record<string, Decimal>>;
  /** What those fees were worth in quote when they were taken, and whether some of that is an estimate. */
  readonly feesValue: Decimal;
  readonly feesEstimated: boolean;
  /** What fills have moved per asset, summed apart from slots and cash: both have to agree. */
  readonly moved: Readonly<Record<string, Decimal>>;
  readonly filledOrders: number;
  readonly cycles: number;
}

/** What a strategy's fills do not explain, since which protocol time, and the order it begins with. */
export interface Unexplained {
  readonly order: string | null;
  readonly since: Millis | null;
  readonly assets: Readonly<Record<string, Decimal>>;
  /** Trades of its orders that cannot be booked as the venue tells them. */
  readonly trades?: readonly UnreadTrade[];
}

export interface UnreadTrade {
  /** Client id of the order that it is of. */
  readonly order: string;
  readonly trade: string;
  readonly reason: string;
}

export type RefusalReason =
  | "no_base"
  | "no_quote"
  | "below_minimum"
  | "would_self_cross"
  /** It would take, and nothing is there beside which it could rest. */
  | "would_take"
  | "inventory_missing"
  | "fills_missing"
  | "market_closed"
  | "rejected"
  /** The venue has not said whether it took the slot's order. */
  | "unclear"
  | "recovering"
  | "killed"
  | "low_confidence"
  | "max_position"
  | "safety_reserve"
  | LimitCode;

/** A slot that rests nothing, and why. */
export interface Refusal {
  readonly slot: number;
  readonly reason: RefusalReason;
  readonly detail?: string;
}

/** What a strategy says of itself beside its refused slots. */
export interface Notice {
  readonly code: "wide_spread" | "all_below_cost" | "below_break_even" | "exit_beyond_collar" | "loss_limit";
  readonly message: string;
}

/** A move of the mid that has to be seen in two passes before anything follows from it. */
export type Move = "stop_loss" | "take_profit" | "rebuild" | "trail_up" | "trail_down";

export interface Signal {
  readonly move: Move;
  /** Market time of the first pass that saw it. */
  readonly at: Millis;
}

/** Selling all base, once orders have ended. A price that was reached is never taken back. */
export interface Exit {
  readonly reason: "stop" | "stop_loss" | "take_profit" | "loss";
  /** Orders placed for it so far. */
  readonly tries: number;
  /** Protocol time since which the account shows less free base than there is to sell. */
  readonly lacksSince?: Millis;
}

/** Orders of these slots are of the grid as a whole: what they fill goes to and comes from its idle lots. */
export const FIRST_BUY_SLOT = 1000;
export const EXIT_SLOT = 1001;

/** First buys and exits take what is there now; a slot's order rests, and does nothing else unless told otherwise. */
export const timeInForceOf = (
  slot: number,
  { postOnly = true }: Pick<GridConfig, "postOnly">,
): TimeInForce => (slot === FIRST_BUY_SLOT || slot === EXIT_SLOT ? "ioc" : postOnly ? "post_only" : "gtc");

export interface GridState {
  readonly generation: number;
  /** The exact mid at the start, at which first base is booked. */
  readonly startPrice: Decimal;
  readonly slots: readonly Slot[];
  readonly ledger: Ledger;
  readonly refused: readonly Refusal[];
  /** Base of the strategy that no slot holds, cheapest first. */
  readonly idle: readonly Lot[];
  /** The price around which the slots were last laid out, and when, in market time. */
  readonly center: Decimal;
  readonly laidAt: Millis;
  /** Spacing of the slots as a multiple of the configured one, 1 to 2. */
  readonly widening: Decimal;
  /** Mids of the last hour, at most one a minute; kept only where volatility is asked for. */
  readonly mids: readonly { readonly at: Millis; readonly mid: Decimal }[];
  readonly signal: Signal | null;
  /** Its orders are being cancelled, to be laid out anew in this generation. */
  readonly rebuild: { readonly generation: number } | null;
  /** One slot is being moved to the other end; `steps` counts those moved up, less those moved down. */
  readonly trail: { readonly way: "up" | "down" | null; readonly steps: number };
  /** The buy of missing base at the start: orders placed for it so far; null when it is over or not wanted. */
  readonly firstBuy: { readonly tries: number } | null;
  readonly exit: Exit | null;
  readonly notices: readonly Notice[];
  /** The database's epoch that it has taken note of; null before its first pass. */
  readonly epoch: number | null;
  /** Protocol time since which its market is closed, or not told by the venue. */
  readonly closedSince?: Millis;
  /** How far the search for orders has come that were placed before the database was restored. */
  readonly search?: { readonly epoch: number; readonly slots: readonly SlotSearch[] };
  readonly unexplained?: Unexplained | null;
  /** Where its loss is limited, and why nothing more is placed: a loss of its own or of the account. */
  readonly loss?: LossWatch | null;
  readonly halted?: string | null;
  /** A person's resumes that it has taken note of. */
  readonly resumes?: number;
  /** Protocol time from which a stop may leave the open orders: what was filled before it was asked is seen by then. */
  readonly releaseAt?: Millis;
  /** Protocol time until which nothing new is placed, because the database was restored. */
  readonly heldUntil: number;
}

/** The next id of a slot to look up, and how many in a row the venue did not know. */
export interface SlotSearch {
  readonly index: number;
  readonly sequence: number;
  readonly misses: number;
}

/** What every grid begins with, but for its slots and prices. */
export const NEW_STATE = {
  generation: 0,
  refused: [],
  idle: [],
  widening: ONE,
  mids: [],
  signal: null,
  rebuild: null,
  trail: { way: null, steps: 0 },
  firstBuy: null,
  exit: null,
  notices: [],
  epoch: null,
  heldUntil: 0,
} as const;

export const NO_LEDGER: Ledger = {
  quote: 0n,
  firstBase: 0n,
  firstCost: 0n,
  realized: 0n,
  fees: {},
  cash: {},
  feesValue: 0n,
  feesEstimated: false,
  moved: {},
  filledOrders: 0,
  cycles: 0,
};

/** From which ids of the grid as a whole go on: it never falls. */
export const highestSequence = ({ slots }: Pick<GridState, "slots">): number =>
  slots.reduce((most, { sequence }) => Math.max(most, sequence), 0);
