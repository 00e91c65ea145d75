/** What is stored. Protocol time is the store's clock, market time the venue's. */
import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type {
  AccountRef,
  Balance,
  Fee,
  NewOrder,
  OrderStatus,
  OrderType,
  Side,
  Span,
  TimeInForce,
} from "../ports/deps.ts";

/** `kind:exchange:host`, the key of an account in every table. */
export type AccountKey = string;

export const accountKey = ({ exchange, kind, host }: AccountRef): AccountKey => `${kind}:${exchange}:${host}`;

export function parseAccountKey(key: AccountKey): AccountRef {
  const [kind = "", exchange = "", ...host] = key.split(":");
  return { kind: kind as AccountRef["kind"], exchange, host: host.join(":") };
}

/** What an account is called whose keys came with a request: nothing but a request with them gets at it. */
export const requestExchange = (exchange: string, keyHash: string): string => `${exchange}#${keyHash}`;

/** The exchange of such an account; undefined for one of the service's own. */
export function exchangeOfRequest(account: AccountKey): string | undefined {
  const [exchange, hash] = parseAccountKey(account).exchange.split("#");
  return hash === undefined ? undefined : exchange;
}

/** A lease's owner: a process's name, and what tells one attempt from another. */
export const leaseOwner = (name: string, attempt: string): string => `${name}/${attempt}`;
export const ownerName = (owner: string | null): string | null =>
  owner?.includes("/") ? owner.slice(0, owner.lastIndexOf("/")) : null;

/**
 * `pending` is written before the venue hears of it; `submitted` was accepted but not yet seen;
 * `unknown` got no clear answer. filled, canceled, expired and rejected are final.
 */
export type OrderState = "pending" | "submitted" | OrderStatus;

/** Of a slot, of an exit that sells a strategy's base, or by hand. */
export type OrderKind = "slot" | "exit" | "hand";

/** One intent and what became of it: at most one order on the venue, ever. */
export interface Order {
  readonly clientId: string;
  readonly account: AccountKey;
  readonly strategy: string | null;
  readonly kind: OrderKind;
  readonly generation: number;
  readonly slot: number;
  readonly symbol: Pair;
  readonly side: Side;
  readonly type: OrderType;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly timeInForce: TimeInForce;
  readonly state: OrderState;
  readonly exchangeId: string | null;
  /** As the venue tells it; never falls. */
  readonly filled: Decimal;
  /** Sums of its booked fills. */
  readonly booked: Decimal;
  readonly bookedNotional: Decimal;
  readonly bookedFees: Readonly<Record<string, Decimal>>;
  /** Of what is booked, the part taken from the order itself whose trades have not arrived. */
  readonly gap: Decimal;
  /** Quote exchanged and fees taken so far, as the venue tells them. */
  readonly notional: Decimal | null;
  readonly fees: readonly Fee[] | null;
  readonly reason: string | null;
  /** Protocol time: no request leaves after it. */
  readonly sendBy: Millis;
  /** Protocol time: no request takes effect after it. */
  readonly notAfter: Millis;
  readonly misses: number;
  readonly missedAt: Millis | null;
  /** Protocol time at which it became final. */
  readonly endedAt: Millis | null;
  /** Protocol time since which trades of it are missing: more is filled than booked. */
  readonly behindSince: Millis | null;
  /** Market time. */
  readonly createdAt: Millis;
  /** Final, and its fills add up: the slot may act again. */
  readonly settled: boolean;
  /** Who asked for it by hand; null for an order of a strategy. */
  readonly actor: string | null;
}

/** What was asked of the venue. */
export const wanted = ({ clientId, symbol, side, type, price, amount, timeInForce }: Order): NewOrder => ({
  clientId,
  symbol,
  side,
  type,
  price,
  amount,
  timeInForce,
});

/** What every order begins with. */
export const NEW_ORDER = {
  state: "pending",
  exchangeId: null,
  filled: 0n,
  booked: 0n,
  bookedNotional: 0n,
  bookedFees: {},
  gap: 0n,
  notional: null,
  fees: null,
  reason: null,
  misses: 0,
  missedAt: null,
  endedAt: null,
  behindSince: null,
  settled: false,
  actor: null,
} as const;

/** A fee as it was booked; one in neither base nor quote carries its worth in quote at the fill. */
export interface BookedFee extends Fee {
  readonly value?: Decimal;
  /** The venue told no price for the asset: the worth is the fee rate × the notional. */
  readonly isEstimated?: boolean;
}

/** A booked execution of an order of ours. */
export interface Fill {
  readonly account: AccountKey;
  readonly symbol: Pair;
  readonly tradeId: string;
  readonly clientId: string;
  readonly strategy: string | null;
  readonly side: Side;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly notional: Decimal;
  readonly fees: readonly BookedFee[];
  /** Market time. */
  readonly at: Millis;
  /** Arrived after its amount had been booked from the order itself; moves nothing. */
  readonly superseded: boolean;
}

/** How far an account's executions on a pair have been read, in market time. */
export interface FillCursor {
  /** Everything before it. */
  readonly at: Millis;
  /** Beyond a part that a pass had no calls left for: this is read as well. */
  readonly ahead: Span | null;
}

/** How far a venue's price can be trusted, 0 to 1, and why. */
export interface Confidence {
  readonly value: Decimal;
  readonly source: string;
  /** Protocol time of the answers behind it, and of when they were last asked for. */
  readonly at: Millis;
  readonly askedAt: Millis;
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

export type Scope = "read" | "trade" | "admin";

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  /** Protocol time. */
  readonly createdAt: Millis;
  readonly expiresAt: Millis | null;
  readonly revokedAt: Millis | null;
}
