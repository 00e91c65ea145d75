/** What has to outlive the process. Writes throw StoreError; every write is keyed, so none acts twice. */

import type { Decimal } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { LimitUse, StoredLimits, Terms } from "../limits/standing.ts";
import type { By, Event } from "../model/events.ts";
import type { Kill, Panic } from "../model/kill.ts";
import type { Plan, Preview } from "../model/proposal.ts";
import type {
  AccountKey,
  AccountMemory,
  Fill,
  FillCursor,
  Order,
  OrderKind,
  Token,
} from "../model/records.ts";
import type { Phase, Strategy, Wants } from "../model/strategy.ts";
import type { CostDay } from "../model/usage.ts";
import type { AuditStore } from "./audit-store.ts";
import type { HistoryStore } from "./history-store.ts";
import type { LimitStore } from "./limit-store.ts";

export interface Lease {
  readonly account: AccountKey;
  readonly token: number;
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
}

export type StrategyUpdate = Pick<
  Strategy,
  "id" | "version" | "state" | "status" | "phase" | "lastError" | "stoppedAt"
>;

/** What one strategy's (or the account's own) share of a pass writes; it is written whole or not at all. */
export interface Changes {
  /** What a stop rests on: another wish in the meantime ends the batch. */
  readonly wish: Pick<Strategy, "id" | "wants" | "keepOrders" | "sellBase"> | null;
  readonly strategy: StrategyUpdate | null;
  readonly fills: readonly Fill[];
  readonly orders: readonly Order[];
  /** Orders of ours that the venue knows and the store does not. */
  readonly adopted: readonly Order[];
  readonly intents: readonly Order[];
  /** What has to hold of limits where the intents are recorded; null where none are known. */
  readonly terms: Terms | null;
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

/** Calls to the venue that a pass has made. */
export interface VenueCalls {
  readonly made: number;
  /** Of them, those for one strategy's orders alone, by its id. */
  readonly own: Readonly<Record<string, number>>;
}

export interface Settlement {
  /** States after the calls, of this pass's own intents. */
  readonly outcomes: readonly Pick<Order, "clientId" | "state" | "exchangeId" | "reason">[];
  readonly phases: readonly { readonly id: string; readonly phase: Phase }[];
  readonly events: readonly Event[];
  readonly memory: AccountMemory | null;
  /** Of a pass that failed and so has no memory to write: what it has told of stop prices. */
  readonly unwatched?: readonly string[] | undefined;
  readonly calls: VenueCalls;
  readonly failure: { readonly message: string; readonly retryAt: Millis } | null;
  /** Of a pass that was put off: when there are calls for the next one. It counts neither as failed nor as made. */
  readonly resumeAt?: Millis | undefined;
}

export interface StepStore {
  /** Accounts with a strategy that is not stopped or an order that is not settled. */
  due(): Promise<readonly { readonly account: AccountKey; readonly retryAt: Millis; readonly now: Millis }[]>;
  /** Takes the account's lease when it is free or already `owner`'s; undefined when another holds it. */
  acquire(request: {
    readonly account: AccountKey;
    readonly owner: string;
    readonly ttl: Millis;
    readonly overlap: Millis;
    /** Refused when a lease was taken for this time before, or while the account is backing off. */
    readonly scheduled?: Millis | undefined;
    /** A person waits for the pass; any other leaves the lease to whoever waits for it in another process. */
    readonly isUrgent?: boolean;
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
  /** Orders that rest or may rest, of all accounts. */
  unsettledOrders(): Promise<readonly Order[]>;
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

export type NewStrategy = Omit<Strategy, "id" | "number" | "epoch" | "resumes"> & {
  /** The id without its millisecond, and the market time it should carry. */
  readonly prefix: string;
  /** Whether the switch is on by what this machine says, asked at the moment of the write. */
  readonly isKilledHere?: () => boolean;
};

export interface StrategyView<S extends Strategy = Strategy> {
  readonly strategy: S;
  readonly openOrders: number;
  readonly memory: AccountMemory;
  /** Protocol time of the account's last complete pass, and why the last one was not. */
  readonly steppedAt: Millis | null;
  readonly accountError: string | null;
  /** Who took the account's lease last. */
  readonly steppedBy: string | null;
  readonly costs: readonly CostDay[];
  readonly now: Millis;
}

export interface StrategyFilter {
  readonly id?: string | undefined;
  readonly request?: string | undefined;
  readonly account?: AccountKey | undefined;
  /** false: only those that are not stopped, whose number is all that it costs. */
  readonly stopped?: boolean;
  /** The newest so many, of those whose number is below `before`. */
  readonly page?: { readonly limit: number; readonly before?: number | undefined } | undefined;
}

export interface StrategyStore {
  /**
   * Stores it under a free millisecond at or after `startedAt`; the one that its `request` has started before, if it has.
   * Undefined where the kill switch has been turned on since it was looked at: nothing is stored.
   */
  createStrategy(strategy: NewStrategy, by: By): Promise<Strategy | undefined>;
  /** Oldest first; a page newest first. */
  strategies(filter: StrategyFilter): Promise<readonly StrategyView[]>;
  /** A stop also says whether it keeps the orders, or sells the base. */
  setWants(id: string, wants: Wants, how: Pick<Strategy, "keepOrders" | "sellBase">, by: By): Promise<void>;
  /** Pauses or resumes it; a stop that was asked for stays. */
  setPaused(id: string, isPaused: boolean, by: By): Promise<void>;
  /** Open orders that a stop has left to the person. */
  releasedOrdersOf(strategy: string): Promise<readonly Order[]>;
}

/** Why the intent of an order by hand was not written: the kill switch or the limits, or an order that it would meet. */
export type HandRecord =
  | { readonly result: "recorded" | "refused" }
  | { readonly result: "meets"; readonly order: Order };

/** What an order by hand is held against: the limits, and the account's own orders. */
export interface HandTerms {
  readonly terms: Terms | null;
  /** How far it may trade; null where that is any price. */
  readonly limit: Decimal | null;
  /** Client ids of orders that the venue has told to have ended. */
  readonly ended: readonly string[];
}

export interface HandOrderStore {
  /** Protocol time. */
  now(): Promise<Millis>;
  /**
   * Writes the intent of an order by hand: in one statement with what it is held against, so that of two orders that
   * would meet each other only one is written. Throws `constraint` on a client id that the account has used.
   */
  recordByHand(order: Order, held: HandTerms, by: By): Promise<HandRecord>;
  settleByHand(outcome: Pick<Order, "account"> & Settlement["outcomes"][number]): Promise<void>;
  orderByClientId(account: AccountKey, clientId: string): Promise<Order | undefined>;
  /** Whether an order of the account waits to be looked up: nobody has said what became of it. */
  hasUnclear(account: AccountKey): Promise<boolean>;
}

export type Remembered =
  | { readonly state: "new" }
  | { readonly state: "running" }
  | { readonly state: "conflict" }
  | { readonly state: "done"; readonly status: number; readonly body: string };

export interface RequestStore {
  /** Claims an Idempotency-Key for one request body; what is older than a day is forgotten, also of what it has started. */
  claimRequest(request: { readonly key: string; readonly bodyHash: string }): Promise<Remembered>;
  finishRequest(key: string, answer: { readonly status: number; readonly body: string }): Promise<void>;
  /** Gives the key back: nothing was done under it. */
  dropRequest(key: string): Promise<void>;
  /** Lets the next request of the key act again, with the same body: what this one did is keyed, and found done. */
  reopenRequest(key: string): Promise<void>;
}

/** What stands in the way of a commit; `free` when nothing does. */
export type PlanState = "free" | "waiting" | "refused" | "used" | "expired" | "unknown";

export interface PlanKey {
  readonly id: string;
  /** Digest of whose it is, for which tool and with which parameters. */
  readonly binding: string;
}

export interface PlanStore {
  /** Returns when it expires. What expired a day ago is forgotten. */
  addPlan(
    plan: PlanKey & Pick<Plan, "actor" | "tool" | "input" | "preview"> & { readonly life: Millis },
  ): Promise<Millis>;
  /** Plans that can still be decided on or committed, oldest first; `place` is what the next page begins after. */
  plans(page: {
    readonly limit: number;
    readonly after?: number | undefined;
  }): Promise<readonly (Plan & { readonly place: number })[]>;
  /** False when there is no such plan to decide on. */
  decidePlan(id: string, decision: "approved" | "refused", by: By): Promise<boolean>;
  /** Where a plan stands, `waiting` being for the approval it needs; names the request that waits for it. */
  planState(
    key: PlanKey,
    request: { readonly needsApproval: boolean; readonly waiter: string },
  ): Promise<PlanState>;
  /** Takes what the plan has shown, in one statement: of two commits one gets it, and none without the approval it needs. */
  consumePlan(key: PlanKey, needsApproval: boolean): Promise<Preview | undefined>;
  /** The request that waits has been given up: its plan is refused. False when none waits under this name. */
  giveUpPlan(waiter: string): Promise<boolean>;
}

export interface TokenPage {
  readonly limit: number;
  readonly before?: number | undefined;
}

export interface TokenStore {
  addToken(token: Omit<Token, "createdAt" | "revokedAt"> & { readonly hash: string }, by: By): Promise<void>;
  /** Newest first, revoked and expired ones too; `place` is what the next page begins before. */
  tokens(page: TokenPage): Promise<readonly (Token & { readonly place: number })[]>;
  /** Whether any token was not revoked. */
  hasTokens(): Promise<boolean>;
  /** The live token with this hash. */
  tokenByHash(hash: string): Promise<Token | undefined>;
  /** False when there is none to revoke. */
  revokeToken(id: string, by: By): Promise<boolean>;
}

export interface Store
  extends StepStore,
    StrategyStore,
    HistoryStore,
    HandOrderStore,
    RequestStore,
    TokenStore,
    PlanStore,
    AuditStore,
    LimitStore {
  /** Throws `unavailable`, with the reason, when the database cannot be reached or written or is not what this program knows. */
  ready(): Promise<void>;
  /** What is known to be wrong with the database, without asking it. */
  trouble(): string | undefined;
}
