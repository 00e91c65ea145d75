import type { Decimal } from "../../kernel/decimal.ts";
import type { VenueFailure } from "../../kernel/errors.ts";
import type { StopRequest } from "../../kernel/fields.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { ActorAndRequest, Event } from "../../model/events.ts";
import type { Kill, Panic } from "../../model/kill.ts";
import type { LimitTerms, LimitUse, StoredLimits, VenueCalls } from "../../model/limits.ts";
import type { AccountMemory } from "../../model/memory.ts";
import type { Fill, FillCursor, HorizonName, MeasuredFill, Order, OrderKind } from "../../model/order.ts";
import type { OfferedMinute } from "../../model/samples/sample.ts";
import type { Phase, Strategy } from "../../model/strategy.ts";
import type { CallRequests } from "../venue.ts";

/** Token and owner together fence its writes, because a database that lost its last commits can issue a token twice. */
export interface Lease {
  readonly account: AccountKey;
  readonly token: number;
  readonly owner: string;
  /** Start and end of the lease, in protocol time. */
  readonly now: Millis;
  readonly until: Millis;
}

/** Everything that a pass reads from the database, in the transaction that takes the lease. */
export interface Snapshot {
  readonly lease: Lease;
  readonly kill: Kill;
  readonly strategies: readonly Strategy[];
  /** Orders that are not settled. */
  readonly orders: readonly Order[];
  /** Time up to which fills were read, per symbol. */
  readonly cursors: Readonly<Record<string, FillCursor>>;
  /** Fills booked at or after cursor − overlap, by symbol and trade id. */
  readonly booked: Readonly<
    Record<Pair, ReadonlyMap<string, Pick<Fill, "side" | "amount" | "notional" | "at">>>
  >;
  readonly memory: AccountMemory;
  /** Consecutive failed passes. */
  readonly failures: number;
  /** Number of restores of the database. After a restore, the exchange can have orders without a row. */
  readonly epoch: number;
  readonly limits: StoredLimits;
  /** Newest uses of the account's limits. */
  readonly limitUses: readonly LimitUse[];
  /** Whether the requested calls were deducted from the account's rate limit. */
  readonly isPaid?: boolean;
}

export type StrategyUpdate = Pick<
  Strategy,
  "id" | "version" | "state" | "status" | "phase" | "lastError" | "stoppedAt"
> &
  // Set if a pass has applied a user's change.
  Partial<Pick<Strategy, "config">>;

/** Writes of one strategy, or of the account, in a pass. They are written in one batch. */
export interface Changes {
  /** The request that a stop acts on. The batch fails if a newer request has replaced it. */
  readonly wish: (Pick<Strategy, "id" | "wants"> & StopRequest) | null;
  readonly strategy: StrategyUpdate | null;
  readonly fills: readonly Fill[];
  readonly orders: readonly Order[];
  /** Own orders on the exchange that have no row. */
  readonly adopted: readonly Order[];
  readonly intents: readonly Order[];
  /** Limits to check when the intents are recorded; null without limits. */
  readonly terms: LimitTerms | null;
  readonly events: readonly Event[];
  readonly cursors: Readonly<Record<string, FillCursor>>;
  readonly memory: AccountMemory | null;
}

export const NO_CHANGES: Changes = {
  wish: null,
  strategy: null,
  fills: [],
  orders: [],
  adopted: [],
  intents: [],
  terms: null,
  events: [],
  cursors: {},
  memory: null,
};

/** A mid that is due for a horizon of the fills of a pair between two times, both included. */
export interface HorizonMid {
  readonly symbol: Pair;
  readonly name: HorizonName;
  readonly mid: Decimal;
  readonly from: Millis;
  readonly to: Millis;
}

/** Mids that a pass knows. */
export interface FillMids {
  /** New fills, with the mid at their time; null if unknown. */
  readonly atFills: readonly (Fill & Pick<MeasuredFill, "mid">)[];
  /** For fills of this pass and earlier ones. The first mid of a horizon wins. */
  readonly later: readonly HorizonMid[];
}

export interface Settlement {
  /** States of this pass's intents after the calls. */
  readonly outcomes: readonly Pick<Order, "clientId" | "state" | "exchangeId" | "reason">[];
  readonly phases: readonly { readonly id: string; readonly phase: Phase }[];
  readonly events: readonly Event[];
  readonly memory: AccountMemory | null;
  /** Strategies whose stop price a failed pass reported as unwatched; a failed pass has no memory to write. */
  readonly unwatched?: readonly string[] | undefined;
  readonly mids?: FillMids;
  /** Finished minutes of sampled pairs. A minute without a sample, or of a signed day, is not stored. */
  readonly offers?: readonly OfferedMinute[];
  readonly calls: VenueCalls;
  readonly failure: {
    readonly message: string;
    readonly retryAt: Millis;
    /** The failure, if the exchange caused the delay. */
    readonly of?: VenueFailure | undefined;
  } | null;
  /** For a postponed pass: the time when calls are available. It counts neither as failed nor as complete. */
  readonly resumeAt?: Millis | undefined;
}

export interface DueAccount {
  readonly account: AccountKey;
  readonly retryAt: Millis;
  /** Consecutive failed passes. */
  readonly failures: number;
  readonly now: Millis;
}

export interface PassStore {
  /** Accounts with a strategy that is not stopped or an order that is not settled. */
  due(): Promise<readonly DueAccount[]>;
  /** Takes the account's lease if it is free or already belongs to `owner`; returns undefined if another process has it. */
  takeLease(request: {
    readonly account: AccountKey;
    readonly owner: string;
    readonly ttl: Millis;
    readonly overlap: Millis;
    /** Scheduled time. The lease is refused if this time was already used, or during backoff. */
    readonly scheduled?: Millis | undefined;
    /** Whether a person waits for the pass. Other passes yield the lease to a waiting process. */
    readonly isUrgent?: boolean;
    /** Calls to deduct with the lease, if the rate limit allows them. */
    readonly calls?: CallRequests | undefined;
  }): Promise<Snapshot | undefined>;
  /** Writes one fenced batch. Returns the client ids of recorded intents; only these orders can be sent. */
  record(lease: Lease, changes: readonly Changes[]): Promise<ReadonlySet<string>>;
  /** Reads whether the kill switch blocks orders of a kind. The cost of the read is charged to `account`. */
  killed(account?: AccountKey, kind?: OrderKind): Promise<boolean>;
  /** Returns the cached state. A change by this process takes effect here at once. */
  knownKilled(kind?: OrderKind): boolean;
  /** Records who changed it, if the state changed. */
  setKill(on: boolean, by: ActorAndRequest): Promise<void>;
  /**
   * Turns the switch on, and records the panic's other requests in the same write. Returns the protocol time of the
   * change.
   */
  panic(query: Panic, by: ActorAndRequest): Promise<Millis>;
  /** Returns orders that are or can be open, of all accounts or of one. */
  unsettledOrders(account?: AccountKey): Promise<readonly Order[]>;
  /** Marks the database as restored. Every strategy then waits until all its orders can be seen (`recover`). */
  nextEpoch(): Promise<void>;
  /** Stores outcomes and releases the lease, in one fenced batch. */
  settle(lease: Lease, settlement: Settlement): Promise<void>;
  /** Returns own orders by exchange id or client id. */
  ordersByIds(
    account: AccountKey,
    ids: { readonly exchange: readonly string[]; readonly client: readonly string[] },
  ): Promise<readonly Order[]>;
}
