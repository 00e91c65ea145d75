/**
 * Everything that must survive the process. Writes throw StoreError. Every write has a key, so a repeated write has
 * no effect.
 */

import type { Decimal } from "../../kernel/decimal.ts";
import type { StopRequest } from "../../kernel/fields.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { ActorAndRequest, Checkpoint, EventView, StoredEvent } from "../../model/events.ts";
import type { CostDay, LimitSettings, LimitsRead, LimitsRequest, LimitTerms } from "../../model/limits.ts";
import type { AccountMemory } from "../../model/memory.ts";
import type { Fill, MeasuredFill, Order, SpreadFill } from "../../model/order.ts";
import type { Plan, Preview } from "../../model/proposal.ts";
import type { Strategy, StrategyConfig, Wants } from "../../model/strategy.ts";
import type { Token } from "../../model/token.ts";
import type { PassStore, Settlement } from "./pass-store.ts";

export interface Store
  extends PassStore,
    StrategyStore,
    HistoryStore,
    ManualOrderStore,
    RequestStore,
    ServerStore,
    TokenStore,
    PlanStore,
    AuditStore,
    LimitStore {
  /** Throws `unavailable` with the reason if the database cannot be reached or written, or has an unknown version. */
  ready(): Promise<void>;
  /** Returns known problems of the database without a request. */
  trouble(): string | undefined;
  /** Returns how far stored times lie in the future, because the clock was ahead when they were written. */
  clockLead(): Promise<Millis>;
  /** How long another process has blocked writes of this one; 0 if none does. */
  lockedFor(): Millis;
}

/** An event with its position in its chain. All three fields are null for events older than the chains. */
export type ChainedEvent = StoredEvent & {
  readonly id: number;
  readonly chain: string | null;
  readonly seq: number | null;
  readonly hash: string | null;
};

/** The last sequence number and hash of a chain. */
export interface ChainPlace {
  readonly id: number;
  readonly seq: number;
  readonly hash: string;
}

/** Signs checkpoints with an operator key that is not in the database. */
export interface Signer {
  readonly key: string;
  sign(text: string): Promise<string>;
}

export interface AuditStore {
  /** Writes an event that belongs to no other row. */
  note(eventView: EventView, by: ActorAndRequest): Promise<void>;
  /**
   * Writes an event before its action, without waiting for a locked database. Resolves when it is written, fails or
   * times out.
   */
  noteAhead(eventView: EventView, by: ActorAndRequest): Promise<void>;
  /** Returns events in the order of writing. */
  eventsAfter(id: number, limit: number): Promise<readonly ChainedEvent[]>;
  /** Returns the newest event of a chain before a position; undefined without one. */
  placeBefore(chain: string, seq: number): Promise<ChainPlace | undefined>;
  /** Returns the newest event's id, and the protocol time of any account's newest complete pass; 0 if there is none. */
  pulse(): Promise<{ readonly event: number; readonly steppedAt: Millis }>;
  /** Returns the number of events ever written, as the database counts them. */
  eventCount(): Promise<number>;
  /** Oldest first. */
  checkpoints(): Promise<readonly Checkpoint[]>;
  /**
   * Signs the position of each chain, and deletes events older than `keep`. Returns the checkpoint and the number of
   * deleted events.
   */
  checkpoint(
    signer: Signer,
    keep: Millis | undefined,
    by: ActorAndRequest,
  ): Promise<{ readonly checkpoint: Checkpoint; readonly cut: number }>;
}

/** Why the intent of a manual order was not written: the kill switch, a limit, or an order that it could fill against. */
export type ManualOrderRecord =
  | { readonly result: "recorded" }
  | { readonly result: "refused" }
  | { readonly result: "meets"; readonly order: Order };

/** What a manual order is checked against: the limits and the account's own orders. */
export interface ManualOrderTerms {
  /** Protocol time of the read; read from the database if absent. */
  readonly at?: Millis;
  readonly terms: LimitTerms | null;
  /** Worst price at which it can trade; null for any price. */
  readonly limit: Decimal | null;
  /** Client ids of orders that have ended on the exchange. */
  readonly ended: readonly string[];
}

export interface ManualOrderStore {
  /** Protocol time. */
  now(): Promise<Millis>;
  /**
   * Writes the intent of a manual order and checks its terms in the same statement, so only one of two orders that
   * could fill each other is written. Throws `constraint` if the account already used the client id.
   */
  recordByHand(order: Order, terms: ManualOrderTerms, by: ActorAndRequest): Promise<ManualOrderRecord>;
  settleByHand(outcome: Pick<Order, "account"> & Settlement["outcomes"][number]): Promise<void>;
  orderByClientId(account: AccountKey, clientId: string): Promise<Order | undefined>;
  /** Returns whether the account has an unconfirmed order that must be looked up. */
  hasUnclear(account: AccountKey): Promise<boolean>;
}

/** A position in a history, newest first; `id` orders entries of the same millisecond. */
export interface HistoryPlace {
  readonly at: Millis;
  readonly id?: string | undefined;
}

export interface Page {
  readonly limit: number;
  /** Returns only entries older than this. */
  readonly before?: HistoryPlace | undefined;
}

/** An archive file next to the database. */
export interface ArchiveFile {
  /** UTC year in which its rows ended. */
  readonly year: number;
  /** Its name, without a folder. */
  readonly file: string;
  /** Newest possible time of its rows. */
  readonly before: Millis;
}

/** A fill with the label of its order; null also if the order is in an archive. */
export type LabeledFill = Fill & Pick<Order, "label">;

/** History of a strategy, newest first. */
export interface HistoryStore {
  /** Ordered by market time of creation, then client id. */
  ordersOf(strategy: string, page: Page): Promise<readonly Order[]>;
  /** Ordered by market time, then trade id. */
  fillsOf(strategy: string, page: Page): Promise<readonly LabeledFill[]>;
  /** The same with the mids that measure them. */
  measuredFillsOf(strategy: string, page: Page): Promise<readonly MeasuredFill[]>;
  /** The same with the mid at the fill only, in half of the time. */
  spreadFillsOf(strategy: string, page: Page): Promise<readonly SpreadFill[]>;
  /** Ordered by protocol time, then number. */
  eventsOf(strategy: string, page: Page): Promise<readonly (StoredEvent & { readonly id: number })[]>;
  /** Returns whether a strategy has more than this many orders, fills or events, without reading them. */
  hasMoreThan(strategy: string, rows: number): Promise<boolean>;
  /** Returns the actor who started it; undefined if that event is no longer stored. */
  starterOf(strategy: string): Promise<string | undefined>;
  /** Oldest first. */
  archives(): Promise<readonly ArchiveFile[]>;
}

export interface LimitStore {
  readLimits(of: LimitsRequest): Promise<LimitsRead>;
  /** Sets the limits of one scope, and logs the old values. Returns false if any limit has changed since `version`. */
  setLimits(
    change: {
      readonly version: number;
      readonly scope: string;
      readonly settings: LimitSettings;
      readonly message: string;
    },
    by: ActorAndRequest,
  ): Promise<boolean>;
  /** Counts a use without an order toward a scope's limit for the day. Returns false if it would exceed `most`. */
  useLimit(use: {
    readonly scope: string;
    readonly asset: string;
    readonly notional: Decimal;
    readonly most: Decimal | null;
  }): Promise<boolean>;
}

/** State of a plan: its obstacle to a commit, or `free` without one. */
export type PlanState = "free" | "waiting" | "refused" | "used" | "expired" | "unknown";

export interface PlanKey {
  readonly id: string;
  /** Digest of caller, tool and parameters. */
  readonly binding: string;
}

export interface PlanStore {
  /** Stores a plan and returns its expiry. Deletes plans that expired a day ago. */
  addPlan(
    plan: PlanKey & Pick<Plan, "actor" | "tool" | "input" | "preview"> & { readonly life: Millis },
  ): Promise<Millis>;
  /**
   * Returns plans that can still be approved or committed, oldest first, after the position `place`, without those of
   * paper trading, which need no approval.
   */
  plans(page: {
    readonly limit: number;
    readonly after?: number | undefined;
  }): Promise<readonly (Plan & { readonly place: number })[]>;
  /** Returns false if there is no such undecided plan. */
  decidePlan(id: string, decision: "approved" | "refused", by: ActorAndRequest): Promise<boolean>;
  /** Returns whether a commit has consumed the plan. */
  isPlanUsed(id: string): Promise<boolean>;
  /** Returns the state of a plan; `waiting` means it needs approval, which paper trading never does. Records which request waits for it. */
  planState(
    key: PlanKey,
    request: { readonly needsApproval: boolean; readonly waiter: string },
  ): Promise<PlanState>;
  /** Consumes a plan in one statement: one of two commits gets it, and none without the approval that it needs. */
  consumePlan(key: PlanKey, needsApproval: boolean): Promise<Preview | undefined>;
  /** Refuses the plan of a request that stopped waiting. Returns false if no plan waits under this name. */
  giveUpPlan(waiter: string): Promise<boolean>;
}

type Remembered =
  | { readonly state: "new" }
  | { readonly state: "running" }
  | { readonly state: "conflict" }
  | { readonly state: "done"; readonly status: number; readonly body: string };

export interface RequestStore {
  /** Claims an Idempotency-Key for one request body. Deletes keys older than a day, and what they started. */
  claimRequest(request: { readonly key: string; readonly bodyHash: string }): Promise<Remembered>;
  finishRequest(key: string, answer: { readonly status: number; readonly body: string }): Promise<void>;
  /** Lets the next request with this key and body run again. The key identifies work that is already done. */
  reopenRequest(key: string): Promise<void>;
}

/** Interval of a server's heartbeats, and how long it counts as running after one. */
export const HEARTBEAT_INTERVAL = 10 * SECOND;
export const HEARTBEAT_LIFE = 30 * SECOND;

/** A server that runs on the database. */
export interface RunningServer {
  readonly instance: string;
  /** Address for programs on its machine. */
  readonly url: string;
  readonly host: string;
  readonly pid: number;
}

export interface ServerStore {
  /** Records that a server runs now. */
  recordServer(server: RunningServer): Promise<void>;
  removeServer(instance: string): Promise<void>;
  /** Returns the servers with a recent heartbeat, the newest first. */
  runningServers(): Promise<readonly RunningServer[]>;
}

type NewStrategy = Omit<Strategy, "id" | "number" | "epoch" | "resumes" | "edit" | "edits"> & {
  /** The id without its millisecond, and the market time to put into it. */
  readonly prefix: string;
  /** Whether this machine turns the kill switch on; evaluated at the moment of the write. */
  readonly isKilledHere?: () => boolean;
};

export interface StrategyView<S extends Strategy = Strategy> {
  readonly strategy: S;
  /** NaN if the filter does not count them. */
  readonly openOrders: number;
  readonly memory: AccountMemory;
  /** Protocol time of the account's last complete pass, and the error of the last pass. */
  readonly steppedAt: Millis | null;
  readonly accountError: string | null;
  /** Protocol time of the account's next pass, if the last one failed; otherwise 0. */
  readonly retryAt: Millis;
  /** Last owner of the account's lease. */
  readonly steppedBy: string | null;
  readonly costs: readonly CostDay[];
  readonly now: Millis;
}

export interface StrategyFilter {
  readonly id?: string | undefined;
  readonly request?: string | undefined;
  readonly account?: AccountKey | undefined;
  /** Only strategies of this kind. */
  readonly kind?: string | undefined;
  /** false returns only strategies that are not stopped; the cost depends on their number alone. */
  readonly stopped?: boolean;
  /** false does not count open orders, which would read each of them. */
  readonly counted?: boolean;
  /** Returns the newest strategies with a number below `before`. */
  readonly page?: { readonly limit: number; readonly before?: number | undefined } | undefined;
}

export interface StrategyStore {
  /**
   * Stores it under a free millisecond at or after `startedAt`, or returns the strategy that the same `request`
   * already started. Returns undefined, and stores nothing, if the kill switch was turned on since it was read.
   */
  createStrategy(strategy: NewStrategy, by: ActorAndRequest): Promise<Strategy | undefined>;
  /**
   * Returns strategies oldest first; a page is newest first. Reads them in parts. A strategy that runs throughout
   * appears exactly once; one that starts or stops meanwhile can be missing or outdated.
   */
  strategies(filter: StrategyFilter): Promise<readonly StrategyView[]>;
  /** Returns the strategies with a name, oldest first. */
  strategiesNamed(name: string): Promise<readonly Pick<Strategy, "id" | "status">[]>;
  /** Renames a strategy; null takes its name away. */
  rename(id: string, name: string | null, by: ActorAndRequest): Promise<void>;
  /** Requests a stop, which can leave the orders open or sell the base. */
  setWants(id: string, wants: Wants, how: StopRequest, by: ActorAndRequest): Promise<void>;
  /** Pauses a strategy, or resumes it with null. A requested stop stays in effect. */
  setPaused(id: string, pause: Pick<StopRequest, "keepOrders"> | null, by: ActorAndRequest): Promise<void>;
  /** Requests a change; returns false if another change followed change number `after`, or if the strategy stops. */
  setEdit(
    id: string,
    edit: { readonly config: StrategyConfig; readonly after: number; readonly description: string },
    by: ActorAndRequest,
  ): Promise<boolean>;
  /** Returns open orders that a stop left on the exchange. */
  releasedOrdersOf(strategy: string): Promise<readonly Order[]>;
}

interface TokenPage {
  readonly limit: number;
  readonly before?: number | undefined;
}

type NewToken = Omit<Token, "createdAt" | "revokedAt" | "server" | "maker"> & {
  readonly hash: string;
  readonly server?: string;
  readonly maker?: string;
};

/** Result of redeeming a sign-in link. */
type SignInToken = NewToken & { readonly maker: string; readonly expiresAt: Millis };

export interface TokenStore {
  addToken(token: NewToken, by: ActorAndRequest): Promise<void>;
  /**
   * Returns tokens newest first, including revoked and expired ones, without servers' own tokens, links and ended
   * sign-ins; `place` is where the next page begins.
   */
  tokens(page: TokenPage): Promise<readonly (Omit<Token, "maker"> & { readonly place: number })[]>;
  /** Returns whether a valid token exists, apart from tokens of servers, links and sign-ins. */
  hasTokens(): Promise<boolean>;
  /** Returns the valid token with this hash. Reads it from the database, not the cache, if its holder is about to write. */
  tokenByHash(hash: string, writes?: boolean | undefined): Promise<Token | undefined>;
  /** Ends a link and adds the token of its sign-in. Returns false when the link has ended. */
  redeemLink(link: string, token: SignInToken, by: ActorAndRequest): Promise<boolean>;
  /** Revokes a token and all tokens that its sign-in links created. Returns false if there is none to revoke. */
  revokeToken(id: string, by: ActorAndRequest): Promise<boolean>;
}
