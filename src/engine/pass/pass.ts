import { BudgetSpent, messageOf, VenueError, type VenueFailure } from "../../kernel/errors.ts";
import { parseClientOrderId, strategyTag } from "../../kernel/ids.ts";
import { midOf } from "../../kernel/spread.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import { accountLimits, scopeOfAccount, usedOf } from "../../limits/standing.ts";
import { type AccountKey, accountKey, leaseOwner, parseAccountKey } from "../../model/account.ts";
import type { Event } from "../../model/events.ts";
import type { Bounds, Limits } from "../../model/limits.ts";
import type { AccountMemory } from "../../model/memory.ts";
import { type Fill, HORIZONS, isInferred, isMidAt } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { ProcessDeps } from "../../ports/deps.ts";
import type { OtherPrices } from "../../ports/exchanges.ts";
import type { StoreDeps } from "../../ports/kind.ts";
import type { FillMids, HorizonMid, Lease, Settlement, Snapshot } from "../../ports/stores/pass-store.ts";
import type { CallRequests, Venue, VenueOrder } from "../../ports/venue.ts";
import { type Local, type Log, letOthersRun } from "../../ports/within-time.ts";
import type { DecisionSteps } from "../decide/advance.ts";
import { type Decision, decideInSteps } from "../decide/decide.ts";
import { waitsWhilePostponed } from "../decide/waits.ts";
import type { Observation } from "../reconcile/reconcile.ts";
import { isBehind, serialOf } from "../reconcile/recovery.ts";
import { act, type Cancelled, cancelEach, type Hold, protocolTime, record } from "./act.ts";
import { type Budget, budgetOf } from "./budget.ts";
import { hasManyOrders, observe } from "./observe.ts";
import { NO_OFFER_MINUTES, offerMinutesOf, readConfidence } from "./own-offers.ts";
import { checkStops, isStopWatched, watchChanges } from "./stop-watch.ts";
import { logLines } from "./strategy-log.ts";
import { upgradedSnapshot } from "./upgrade.ts";
import { isStopping, leavesWith, leavingStrategies, sellsBase, unread, urgentCancels } from "./urgent.ts";

/** Result of one pass over an account. */
export interface Pass {
  readonly account: AccountKey;
  readonly outcome: "stepped" | "short" | "busy" | "backing_off" | "postponed" | "failed" | "not_configured";
  readonly message?: string;
  /** Cancels of stops that the exchange accepted before anything was read. */
  readonly cancels?: number;
  /** For a pass that the rate limit postponed: time until it has calls. */
  readonly retryIn?: Millis;
  /** Time from each new fill, by the exchange's clock, until its strategy's next orders were accepted. */
  readonly reactions?: readonly Millis[];
  /** Whether a strategy has begun to leave the market or cancels its orders, and only the next pass can sell. */
  readonly isLeaving?: boolean;
}

export interface PassDeps extends StoreDeps, OtherPrices, ProcessDeps {
  /** Present if order books are sampled: a pass then records its own offers. */
  readonly liquidity?: unknown;
}

export interface PassOptions {
  /** Calls to the exchange that this pass can make. */
  readonly calls?: number;
  /** The scheduled time; at most one pass runs for it. */
  readonly scheduled?: Millis | undefined;
  /** Whether a person waits for it. */
  readonly isUrgent?: boolean;
}

/**
 * Runs one pass over an account: takes its lease, observes the exchange, decides, records, and only then acts. After
 * any interruption, the next pass continues from the store and the exchange. Does not throw for external failures:
 * the result describes how the pass ended.
 */
export async function runPass(
  deps: PassDeps,
  venue: Venue,
  { calls, scheduled, isUrgent = false }: PassOptions = {},
): Promise<Pass> {
  const account = accountKey(venue.account);
  const { timing } = venue;
  const { local, store, log } = deps;
  const requestedAt = local.monotonic();
  const last = requestedAt + timing.leaseTtl - timing.requestTimeout;
  const budget = budgetOf({ clock: local.monotonic, last }, calls, deps.requests);
  let snapshot: Snapshot | undefined;
  let urgent = NO_CANCELS;
  let leasedVenue = venue;
  try {
    const opening = venue.opening?.(isUrgent);
    snapshot = await leaseOf(deps, venue, { scheduled, isUrgent, calls: opening });
    if (!snapshot) return { account, outcome: "busy" };
    watchClock(store, { log, now: snapshot.lease.now, sentAt: requestedAt, answeredAt: local.monotonic() });
    const hold: Hold = holdOf(snapshot.lease, requestedAt, timing.requestTimeout);
    const terms = { requestedAt, isUrgent: isUrgent || isStopping(snapshot), opening };
    leasedVenue = underLease(venue, snapshot, terms);
    const cancels = urgentCancels(snapshot, budget.left);
    urgent = await cancelEach({ venue: leasedVenue, local }, hold, { cancels, budget });
    // After the cancels, because they need no state: a strategy of a newer version must not prevent them.
    snapshot = upgradedSnapshot(snapshot, deps.kinds);
    const postponed = await postponedBy(leasedVenue);
    if (postponed) {
      if (terms.isUrgent) throw postponed;
      // An exit can use the reserved calls, and a public price shows whether there is one.
      const { memory, isReached } = await checkStops(leasedVenue, snapshot, budget);
      snapshot = { ...snapshot, memory };
      if (!isReached) throw postponed;
      await leasedVenue.leave?.();
      leasedVenue = underLease(venue, snapshot, { ...terms, isUrgent: true });
      await leasedVenue.enter?.();
    }
    const ended = await pass(deps, leasedVenue, { snapshot, hold, budget, urgent });
    return { account, cancels: urgent.confirmed, ...ended };
  } catch (error) {
    const message = messageOf(error);
    // The rate limit is used up: the lease is released at once, and the next pass runs when calls are available.
    const wait = error instanceof BudgetSpent ? error.wait : undefined;
    if (wait === undefined) log("warn", "a pass failed", { account, reason: message });
    await leasedVenue.leave?.();
    const of = error instanceof VenueError ? error.failure : undefined;
    if (snapshot) await giveBack(deps, venue, { snapshot, budget, urgent, message, of, wait });
    return { account, message, cancels: urgent.confirmed, ...endingOf(wait) };
  }
}

/** Returns the error if the rate limit lacks the calls of a pass. */
async function postponedBy({ enter }: Venue): Promise<BudgetSpent | undefined> {
  try {
    await enter?.();
    return undefined;
  } catch (error) {
    if (error instanceof BudgetSpent) return error;
    throw error;
  }
}

const holdOf = (lease: Lease, requestedAt: Millis, requestTimeout: Millis): Hold => ({
  lease,
  requestedAt,
  requestTimeout,
  opened: new Map(),
  canceled: new Map(),
});

/** A pass that the rate limit postponed has not failed. */
const endingOf = (wait: Millis | undefined): Pick<Pass, "outcome" | "retryIn"> =>
  wait === undefined ? { outcome: "failed" } : { outcome: "short", retryIn: wait };

type LeaseRequest = Parameters<PassDeps["store"]["takeLease"]>[0];

/** Returns the venue for the holder of the lease. The calls of its opening are paid if the lease was taken with them. */
function underLease(
  venue: Venue,
  snapshot: Snapshot,
  { opening, ...terms }: { requestedAt: Millis; isUrgent: boolean; opening: CallRequests | undefined },
): Venue {
  const paid = snapshot.isPaid ? { paid: opening } : {};
  return venue.under?.(snapshot.lease, { ...terms, yieldsAfter: yieldsAfter(snapshot), ...paid }) ?? venue;
}

/** Takes the lease together with the pass's first calls, if the exchange has a rate limit. */
function leaseOf(
  { store, local }: PassDeps,
  { account, timing }: Venue,
  request: Pick<LeaseRequest, "scheduled" | "isUrgent" | "calls">,
): Promise<Snapshot | undefined> {
  const owner = leaseOwner(local.name, local.randomText(16));
  const { leaseTtl: ttl, overlap } = timing;
  return store.takeLease({ account: accountKey(account), owner, ttl, overlap, ...request });
}

/**
 * How long a pass runs before it yields to people. After incomplete passes it runs longer, so people cannot delay it
 * forever.
 */
const YIELDS = { after: SECOND, longer: 5 * SECOND, each: 10 };

function yieldsAfter(snapshot: Snapshot): Millis | undefined {
  if (isStopping(snapshot)) return undefined;
  return snapshot.memory.turn % YIELDS.each < YIELDS.each - 1 ? YIELDS.after : YIELDS.longer;
}

const NO_CANCELS: Cancelled = { requested: [], confirmed: 0, events: [], short: false };

interface StartedPass {
  readonly snapshot: Snapshot;
  readonly hold: Hold;
  readonly budget: Budget;
  readonly urgent: Cancelled;
}

type PassResult = Pick<Pass, "outcome" | "message" | "reactions" | "isLeaving">;

async function pass(
  deps: PassDeps,
  venue: Venue,
  { snapshot: loaded, hold, budget, urgent }: StartedPass,
): Promise<PassResult> {
  const { store, local, limits, reference, kinds } = deps;
  const observed = await observe(venue, deps, loaded, budget);
  const lost = forgotten(loaded, observed);
  if (lost) await store.nextEpoch();
  const snapshot = lost ? { ...loaded, epoch: loaded.epoch + 1 } : loaded;
  const confidence = await readConfidence({ reference, venue, kinds }, snapshot, observed, budget);
  const observation = { ...observed, confidence };
  const terms = {
    limit: Math.min(budget.left, budget.fitting),
    slow: budget.slow,
    bounds: boundsOf(snapshot, limits),
    kinds,
  };
  if (hasManyOrders(snapshot)) await letOthersRun(local);
  const decision = await inTurns(decideInSteps(snapshot, observation, terms), local);
  const recorded = await record(store, snapshot, decision);
  logEvents(deps.log, decision);
  logLines(deps.log, decision.logs, snapshot.lease.now);
  const creates = decision.creates.filter(({ clientId }) => recorded.has(clientId));
  const urgentIds = new Set(urgent.requested.map(({ clientId }) => clientId));
  const plannedCancels = decision.cancels.filter(({ clientId }) => !urgentIds.has(clientId));
  const cancels = urgent.short ? [] : plannedCancels.slice(0, Math.max(0, budget.left - creates.length));
  const { outcomes, ...acted } = await act({ venue, store, local }, hold, { cancels, creates, budget });
  const reactions = reactionsOf(decision, outcomes, protocolTime(local, hold));
  const short = observation.short || decision.short || acted.short || cancels.length < plannedCancels.length;
  const watch = watchOf(deps, snapshot, decision.memory);
  const { mids, filledAt } = measureFills(snapshot, observation, decision);
  const { rows, offers } = deps.liquidity
    ? offerMinutesOf({ snapshot, observation, decision, hold })
    : NO_OFFER_MINUTES;
  const memory = memoryAfter(deps, { ...decision.memory, ...watch.memory, filledAt, offers }, short);
  const lostEvents = lost ? [forgottenEvent(snapshot, lost)] : [];
  const events = [...lostEvents, ...urgent.events, ...acted.events, ...watch.events];
  const phases = phasesAfter(decision, outcomes);
  const settled = { outcomes, events, phases, mids, offers: rows, memory, calls: budget };
  await venue.leave?.();
  await store.settle(snapshot.lease, { ...settled, failure: null });
  const sent = { cancels: [...urgent.requested, ...cancels], creates };
  const message = describeLeft(loaded, kinds);
  return { ...passOf(short, reactions, leavesWith(loaded, decision, sent)), ...(message ? { message } : {}) };
}

/** Number of steps until other requests run; a step takes less than a tenth of a millisecond. */
const STEPS_PER_TURN = 100;

async function inTurns<T>(steps: DecisionSteps<T>, local: Local): Promise<T> {
  let answer: unknown;
  for (let count = 1; ; count++) {
    const { done, value } = steps.next(answer);
    if (done) return value;
    answer = value && (await value);
    if (count % STEPS_PER_TURN === 0) await letOthersRun(local);
  }
}

/** Describes the strategies that this process leaves as they are; empty if there are none. */
const describeLeft = ({ strategies }: Snapshot, kinds: PassDeps["kinds"]): string =>
  strategies
    .filter(({ status }) => status === "running")
    .flatMap((strategy) => {
      const why = kinds(strategy.kind).leaves?.(strategy);
      return why === undefined ? [] : [`${strategy.id} stays as it is: ${why}`];
    })
    .join("; ");

const passOf = (short: boolean, reactions: readonly Millis[], isLeaving: boolean): PassResult => ({
  outcome: short ? "short" : "stepped",
  ...(reactions.length > 0 ? { reactions } : {}),
  ...(isLeaving ? { isLeaving } : {}),
});

const memoryAfter = ({ interval }: PassDeps, memory: AccountMemory, short: boolean): AccountMemory => ({
  ...memory,
  ...(interval === undefined ? {} : { interval }),
  failed: undefined,
  turn: short ? memory.turn + 1 : 0,
});

/** Returns the age of each new fill whose strategy has had an order accepted. */
function reactionsOf(
  { changes, creates }: Decision,
  outcomes: Settlement["outcomes"],
  now: Millis,
): Millis[] {
  const accepted = new Set(
    outcomes.filter(({ state }) => state === "submitted").map(({ clientId }) => clientId),
  );
  const answering = new Set(
    creates.flatMap(({ clientId, strategy }) => (accepted.has(clientId) ? [strategy] : [])),
  );
  const fills = changes.flatMap((change) => change.fills);
  return fills.filter(({ strategy }) => answering.has(strategy)).map(({ at }) => now - at);
}

/** Strategies whose orders were all accepted become active. */
function phasesAfter({ creates, placing }: Decision, outcomes: Settlement["outcomes"]) {
  const accepted = new Set(
    outcomes.filter(({ state }) => state === "submitted").map(({ clientId }) => clientId),
  );
  const isPlaced = (id: string) =>
    creates.every((order) => order.strategy !== id || accepted.has(order.clientId));
  return placing.filter(isPlaced).map((id) => ({ id, phase: "active" as const }));
}

/** Logs exits and errors, because they are rare and important. */
function logEvents(log: Log, { changes }: Decision): void {
  for (const { kind, message, account, strategy } of changes.flatMap(({ events }) => events))
    if (kind === "exit" || kind === "error") log("warn", message, { account, strategy });
}

/** Returns messages about stop prices; none if the interval of passes is unknown. */
function watchOf({ interval }: PassDeps, snapshot: Snapshot, memory: AccountMemory) {
  if (interval === undefined) return { events: [], memory: {}, unwatched: undefined };
  const { events, unwatched } = watchChanges(snapshot, memory, interval);
  return { events, memory: unwatched ? { unwatched } : {}, unwatched };
}

interface Ended extends Omit<StartedPass, "hold"> {
  readonly message: string;
  readonly of: VenueFailure | undefined;
  /** For a postponed pass: time until the next one has calls. */
  readonly wait: Millis | undefined;
}

async function giveBack(
  deps: PassDeps,
  { timing }: Venue,
  { snapshot, budget, urgent, message, of, wait }: Ended,
): Promise<void> {
  const { lease, failures, memory } = snapshot;
  const watch = watchOf(deps, snapshot, memory);
  const pause = Math.min(timing.backoff.max, timing.backoff.first * 2 ** Math.min(failures, 20));
  const { events, phases } = unread(snapshot, urgent.requested, message);
  const exits = leavingStrategies(snapshot).filter(sellsBase);
  const postponed = waitsWhilePostponed(snapshot, exits, wait ?? 0);
  const result =
    wait !== undefined
      ? {
          events: [...urgent.events, ...watch.events, ...postponed.events],
          memory: {
            ...memory,
            ...watch.memory,
            ...(postponed.waits ? { waits: postponed.waits } : {}),
            failed: undefined,
            turn: turnAfter(memory, budget.made > urgent.requested.length),
          },
          failure: null,
          // Stop prices are checked again at each round.
          resumeAt: snapshot.strategies.some(isStopWatched) ? lease.now : lease.now + wait,
        }
      : {
          events: [...urgent.events, ...events, ...watch.events, ...refusedKeyEvents(snapshot, of, message)],
          memory: null,
          unwatched: watch.unwatched,
          failure: { message, retryAt: lease.now + pause, of },
        };
  try {
    await deps.store.settle(lease, { ...result, outcomes: [], phases, calls: budget });
  } catch (error) {
    sayKept(deps.log, lease, error);
  }
}

// A pass that read nothing was not the turn of its pairs: otherwise the same ones could always get it.
const turnAfter = ({ turn }: AccountMemory, hasRead: boolean): number =>
  hasRead ? turn + 1 : Math.max(1, turn);

// The lease expires by itself.
const sayKept = (log: Log, { account }: Lease, error: unknown): void =>
  log("warn", "a pass could not release its lease", { account, reason: messageOf(error) });

/** Returns the limits of this pass's orders: the account's limits minus their usage. */
export function boundsOf(
  { lease: { account, now }, orders, limits: stored, limitUses }: Snapshot,
  settings: Limits | undefined,
): Bounds {
  const { exchange, host } = parseAccountKey(account);
  const standing = {
    scope: scopeOfAccount(account),
    actor: null,
    limits: accountLimits(stored, exchange, settings),
    used: usedOf(limitUses, { now, openOrders: orders.length }),
  };
  return {
    standings: { version: stored.version, all: [standing] },
    // A simulated price belongs to the moment of the request, in simulated time.
    now: host === "" ? undefined : now,
  };
}

/** How far the database's clock is ahead of this process's clock, as bounds, because a response takes time. */
interface Offset {
  readonly min: Millis;
  readonly max: Millis;
}

/** Smaller corrections of clocks are normal. */
const JUMP: Millis = 2 * SECOND;

const offsets = new WeakMap<object, Offset>();

/** Logs a jump of the database's clock since the last lease. `store` identifies the clock. */
export function watchClock(
  store: object,
  {
    log,
    ...at
  }: { readonly log: Log; readonly now: Millis; readonly sentAt: Millis; readonly answeredAt: Millis },
): void {
  const offset = { min: at.now - at.answeredAt, max: at.now - at.sentAt };
  const before = offsets.get(store);
  offsets.set(store, offset);
  if (!before) return;
  const ahead = offset.min - before.max;
  const behind = before.min - offset.max;
  const by = Math.max(ahead, behind);
  if (by <= JUMP) return;
  const seconds = Math.round(by / SECOND);
  log("warn", `the database's clock has jumped ${ahead > 0 ? "ahead" : "back"} by ${seconds} s`, { seconds });
}

/** Prices that measure fills: the mid at each fill, and mids at its horizons, from prices that passes read anyway. */
const LAST_HORIZON: Millis = Math.max(...HORIZONS.map(({ after, late }) => after + late));

type ReadPrices = Pick<Observation, "markets">;

/** Returns the mids that this pass knows, and when each pair of the account had its newest fill. */
function measureFills(
  { memory }: Pick<Snapshot, "memory">,
  prices: ReadPrices,
  { changes }: Pick<Decision, "changes">,
): { readonly mids: FillMids; readonly filledAt: AccountMemory["filledAt"] } {
  const fills = changes.flatMap((change) => change.fills).filter(({ strategy }) => strategy !== null);
  const real = fills.filter((fill) => !isInferred(fill));
  if (real.length === 0 && !memory.filledAt) return { mids: { atFills: [], later: [] }, filledAt: undefined };
  const filledAt = { ...memory.filledAt };
  for (const { symbol, at } of real) filledAt[symbol] = Math.max(at, filledAt[symbol] ?? at);
  const atFills = real.map((fill) => ({ ...fill, mid: midAtFill(fill, memory, prices) }));
  return { mids: { atFills, later: horizonMids(filledAt, prices) }, filledAt };
}

/** Returns the last price at or before a fill; null if it is too old, or if later prices have replaced it. */
function midAtFill(fill: Fill, { marks }: AccountMemory, { markets }: ReadPrices) {
  const quote = markets.get(fill.symbol)?.quote;
  const both = [quote && { mid: midOf(quote), at: quote.at }, marks[fill.symbol]];
  return both.find((mark) => mark && isMidAt(fill, mark))?.mid ?? null;
}

/** Returns the horizons at which this pass's prices are due, for pairs with a fill that can be in their time. */
const horizonMids = (
  filledAt: NonNullable<AccountMemory["filledAt"]>,
  { markets }: ReadPrices,
): HorizonMid[] =>
  [...markets].flatMap(([symbol, { quote }]) => {
    const newest = filledAt[symbol];
    if (!quote || newest === undefined || quote.at - newest > LAST_HORIZON) return [];
    return HORIZONS.map(({ name, after, late }) => ({
      symbol,
      name,
      mid: midOf(quote),
      from: quote.at - after - late,
      to: quote.at - after,
    })).filter(({ from }) => newest >= from);
  });

const isUnnoted = ({ number, state }: Strategy, { clientId = "" }: VenueOrder): boolean =>
  parseClientOrderId(clientId)?.tag === strategyTag(number) &&
  serialOf({ clientId }) > (state.epochSerial ?? 0);

/*
 * Every order has its row before it is sent. An order on the exchange without a row shows that the database is older
 * than before: restored, failed over, or without its last commits.
 */

/** Finds an order that the database has lost since its strategies last recorded such a loss. */
export const forgotten = (
  { strategies, epoch }: Snapshot,
  { found }: Observation,
): VenueOrder | undefined => {
  const current = strategies.filter((strategy) => !isBehind(strategy, epoch));
  return found.find((order) => current.some((strategy) => isUnnoted(strategy, order)));
};

/** Event for a lost order: every strategy reads all trades, and waits before it places an order. */
export const forgottenEvent = ({ lease: { account, now } }: Snapshot, { clientId }: VenueOrder): Event => ({
  account,
  strategy: null,
  at: now,
  kind: "error",
  message: `the database has lost its last commits: it does not know order ${clientId} on the exchange; every strategy waits until all orders can be seen`,
});

/**
 * Reports that an exchange rejects the API key; no orders of the account work until it accepts one. Returns one event
 * when it starts; later passes that fail for the same reason return none.
 */
function refusedKeyEvents(
  { lease: { account, now }, memory }: Pick<Snapshot, "lease" | "memory">,
  failure: VenueFailure | undefined,
  why: string,
): Event[] {
  const isKey = failure === "invalid_credentials" || failure === "missing_credentials";
  if (!isKey || memory.failed === failure) return [];
  const { exchange } = parseAccountKey(account);
  const message = `${why}; no order of ${exchange} is placed or canceled until its API key works. Run \`edgemaker exchange test ${exchange}\``;
  return [{ account, strategy: null, at: now, kind: "error", message }];
}
