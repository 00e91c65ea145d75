import type { VenueFailure } from "../../kernel/errors.ts";
import type { StopWish } from "../../kernel/stop-flags.ts";
import type { Millis } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { By, Event } from "../../model/events.ts";
import type { Fill, FillCursor } from "../../model/fill.ts";
import type { Kill, Panic } from "../../model/kill.ts";
import type { LimitTerms, LimitUse, StoredLimits } from "../../model/limits.ts";
import type { AccountMemory } from "../../model/memory.ts";
import type { Order, OrderKind } from "../../model/order.ts";
import type { Phase, Strategy } from "../../model/strategy.ts";
import type { VenueCalls } from "../../model/usage.ts";
import type { CallsAsked } from "../venue.ts";

/** Token and owner together fence it: a database that has lost its last commits gives a token again. */
export interface Lease {
  readonly account: AccountKey;
  readonly token: number;
  readonly owner: string;
  /** Protocol time at which it was taken, and until which it is ours. */
  readonly now: Millis;
  readonly until: Millis;
}

/** All that a pass needs to know of its account, read in the turn in which the lease is taken. */
export interface Snapshot {
  readonly lease: Lease;
  readonly kill: Kill;
  readonly strategies: readonly Strategy[];
  /** Orders that are not settled. */
  readonly orders: readonly Order[];
  /** How far executions have been read, per symbol. */
  readonly cursors: Readonly<Record<string, FillCursor>>;
  /** Trade ids booked at or after cursor − overlap, per symbol. */
  readonly booked: Readonly<Record<string, ReadonlySet<string>>>;
  readonly memory: AccountMemory;
  /** Failed passes in a row. */
  readonly failures: number;
  /** Counts how often the database was restored: after that the venue may know orders that it does not. */
  readonly epoch: number;
  readonly limits: StoredLimits;
  /** Newest uses of the account's limits. */
  readonly limitUses: readonly LimitUse[];
  /** The calls that were asked for with the lease are taken from the account's rate. */
  readonly isPaid?: boolean;
}

export type StrategyUpdate = Pick<
  Strategy,
  "id" | "version" | "state" | "status" | "phase" | "lastError" | "stoppedAt"
> &
  // Where a pass has made what a person has asked it to be changed to.
  Partial<Pick<Strategy, "config">>;

/** What one strategy's (or the account's own) share of a pass writes; it is written whole or not at all. */
export interface Changes {
  /** What a stop rests on: another wish in the meantime ends the batch. */
  readonly wish: (Pick<Strategy, "id" | "wants"> & StopWish) | null;
  readonly strategy: StrategyUpdate | null;
  readonly fills: readonly Fill[];
  readonly orders: readonly Order[];
  /** Orders of ours that the venue knows and the store does not. */
  readonly adopted: readonly Order[];
  readonly intents: readonly Order[];
  /** What has to hold of limits where the intents are recorded; null where none are known. */
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

export interface Settlement {
  /** States after the calls, of this pass's own intents. */
  readonly outcomes: readonly Pick<Order, "clientId" | "state" | "exchangeId" | "reason">[];
  readonly phases: readonly { readonly id: string; readonly phase: Phase }[];
  readonly events: readonly Event[];
  readonly memory: AccountMemory | null;
  /** Of a pass that failed and so has no memory to write: what it has told of stop prices. */
  readonly unwatched?: readonly string[] | undefined;
  readonly calls: VenueCalls;
  readonly failure: {
    readonly message: string;
    readonly retryAt: Millis;
    /** Where the exchange was what kept the pass. */
    readonly of?: VenueFailure | undefined;
  } | null;
  /** Of a pass that was put off: when there are calls for the next one. It counts neither as failed nor as made. */
  readonly resumeAt?: Millis | undefined;
}

export interface StepStore {
  /** Accounts with a strategy that is not stopped or an order that is not settled. */
  due(): Promise<readonly { readonly account: AccountKey; readonly retryAt: Millis; readonly now: Millis }[]>;
  /** Takes the account's lease when it is free or already `owner`'s; undefined when another holds it. */
  takeLease(request: {
    readonly account: AccountKey;
    readonly owner: string;
    readonly ttl: Millis;
    readonly overlap: Millis;
    /** Refused when a lease was taken for this time before, or while the account is backing off. */
    readonly scheduled?: Millis | undefined;
    /** A person waits for the pass; any other leaves the lease to whoever waits for it in another process. */
    readonly isUrgent?: boolean;
    /** Taken with the lease, where the account's rate has them. */
    readonly calls?: CallsAsked | undefined;
  }): Promise<Snapshot | undefined>;
  /** One fenced batch. Returns the client ids whose intents were recorded: only those may be sent. */
  record(lease: Lease, changes: readonly Changes[]): Promise<ReadonlySet<string>>;
  /** Whether the kill switch keeps orders of a kind back. Within a pass over an account, it is that one's cost. */
  killed(account?: AccountKey, kind?: OrderKind): Promise<boolean>;
  /** The same without asking: what this process has turned itself holds here at once. */
  knownKilled(kind?: OrderKind): boolean;
  /** Tells who has turned it, when it was not so before. */
  setKill(on: boolean, by: By): Promise<void>;
  /** Turns it on in one write with all that is asked beside it; returns the protocol time since which it is so. */
  panic(asked: Panic, by: By): Promise<Millis>;
  /** Open orders or may rest, of all accounts or of one. */
  unsettledOrders(account?: AccountKey): Promise<readonly Order[]>;
  /** Says that the database was restored: every grid looks up its next ids before it places anything. */
  nextEpoch(): Promise<void>;
  /** Outcomes and the lease's release, in one fenced batch. */
  settle(lease: Lease, settlement: Settlement): Promise<void>;
  /** Stored orders of ours behind ids that the venue gave, or that we gave. */
  ordersByIds(
    account: AccountKey,
    ids: { readonly exchange: readonly string[]; readonly client: readonly string[] },
  ): Promise<readonly Order[]>;
}
