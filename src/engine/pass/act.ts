import { StoreError } from "../../kernel/errors.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import { type Order, sentOrderOf } from "../../model/order.ts";
import { reasonOf } from "../../model/refusal-text.ts";
import type { Strategy } from "../../model/strategy.ts";
import { watchKill } from "../../ports/kill-permit.ts";
import {
  type Changes,
  type Lease,
  NO_CHANGES,
  type PassStore,
  type Settlement,
  type Snapshot,
} from "../../ports/stores/pass-store.ts";
import type { CancelOutcome, CreateOutcome, Permit, Venue } from "../../ports/venue.ts";
import type { Local } from "../../ports/within-time.ts";
import type { Decision } from "../decide/decide.ts";
import { type Budget, spend } from "./budget.ts";

type CreateResult = Settlement["outcomes"][number];

/** The lease by this process's own clock, measured from before its request. */
export interface Hold {
  readonly lease: Lease;
  readonly requestedAt: Millis;
  readonly requestTimeout: Millis;
  /** Protocol times, by client id: when the exchange accepted an order, and when its cancel left. */
  readonly opened: Map<string, Millis>;
  readonly canceled: Map<string, Millis>;
}

/**
 * Protocol time in whole milliseconds, although a process's clock has fractions. The lease was granted after the request
 * for it, so this is never behind the store's clock.
 */
export const protocolTime = (
  { monotonic }: Pick<Local, "monotonic">,
  { lease, requestedAt }: { readonly lease: Pick<Lease, "now">; readonly requestedAt: Millis },
): Millis => lease.now + Math.ceil(monotonic() - requestedAt);

interface ActDeps {
  readonly venue: Venue;
  readonly store: PassStore;
  readonly local: Local;
}

/** Result of cancel requests: `confirmed` is how many the exchange accepted, which does not yet end an order. */
export interface Cancelled {
  readonly requested: readonly Order[];
  readonly confirmed: number;
  readonly events: readonly Event[];
  readonly short: boolean;
}

export async function cancelEach(
  { venue, local }: Pick<ActDeps, "venue" | "local">,
  hold: Hold,
  { cancels, budget }: { cancels: readonly Order[]; budget: Budget },
): Promise<Cancelled> {
  const requests: Order[] = [];
  const events: Event[] = [];
  let accepted = 0;
  for (const order of cancels) {
    if (budget.left <= 0) return { requested: requests, confirmed: accepted, events, short: true };
    const key = { symbol: order.symbol, id: order.exchangeId ?? "" };
    const until = permit(local, hold, hold.lease.until);
    // The request can wait for its turn, and the order stays open until then.
    const mayLeave = () => {
      const may = until.mayLeave();
      if (may) hold.canceled.set(order.clientId, protocolTime(local, hold));
      return may;
    };
    const cancelled = await spend(budget, () => venue.cancel(key, { ...until, mayLeave }), order.strategy);
    requests.push(order);
    if (cancelled.result === "accepted") accepted++;
    if ("reason" in cancelled)
      events.push(eventOf(order, hold, `cancel ${cancelled.result}: ${cancelled.reason}`));
    if (isFull(cancelled)) return { requested: requests, confirmed: accepted, events, short: true };
  }
  return { requested: requests, confirmed: accepted, events, short: false };
}

/**
 * Sends cancels, and then the new orders that were recorded. A cancel has no row: a later pass reads from the exchange
 * whether its order has ended.
 */
export async function act(
  deps: ActDeps,
  hold: Hold,
  { budget, ...orders }: { cancels: readonly Order[]; creates: readonly Order[]; budget: Budget },
): Promise<{ outcomes: CreateResult[]; events: readonly Event[]; short: boolean }> {
  const { venue, store, local } = deps;
  const outcomes: CreateResult[] = [];
  const cancelled = await cancelEach(deps, hold, { cancels: orders.cancels, budget });
  const results: Event[] = [];
  let { short } = cancelled;
  const { account } = hold.lease;
  const kills = {
    slot: watchKill({ store, local }, { account, kind: "slot" }),
    exit: watchKill({ store, local }, { account, kind: "exit" }),
  };
  for (const order of orders.creates) {
    // An order that was recorded but not sent is planned again under a new id.
    if (budget.left <= 0) short = true;
    const kill = order.kind === "exit" ? kills.exit : kills.slot;
    const may = kill.unlessOn(permit(local, hold, order.sendBy));
    const outcome: CreateOutcome =
      short || kill.isOn()
        ? { result: "not_sent" }
        : await spend(budget, () => venue.create(sentOrderOf(order), may), order.strategy);
    if (outcome.result === "accepted") hold.opened.set(order.clientId, protocolTime(local, hold));
    outcomes.push(outcomeOf(order, outcome));
    results.push(...eventsOfOutcome(order, hold, outcome));
    short ||= isFull(outcome);
  }
  return { outcomes, events: [...cancelled.events, ...results], short };
}

// Retrying while rate-limited extends the ban.
const isFull = (outcome: CreateOutcome | CancelOutcome): boolean =>
  "failure" in outcome && outcome.failure === "rate_limited";

/** Returns a permit: a request can leave while the lease covers its whole timeout and its own deadline has not passed. */
export function permit(local: Local, hold: Hold, sendBy: Millis): Permit {
  const { monotonic } = local;
  const { lease, requestedAt, requestTimeout } = hold;
  const last = requestedAt + (lease.until - lease.now) - requestTimeout;
  const protocolNow = () => protocolTime(local, hold);
  return { mayLeave: () => monotonic() <= last && protocolNow() <= sendBy, sendBy };
}

function outcomeOf({ clientId }: Order, outcome: CreateOutcome): CreateResult {
  switch (outcome.result) {
    case "accepted":
      return { clientId, state: "submitted", exchangeId: outcome.id, reason: null };
    case "not_sent":
      return { clientId, state: "rejected", exchangeId: null, reason: reasonOf({ cause: "not_sent" }) };
    case "rejected":
      return {
        clientId,
        state: "rejected",
        exchangeId: null,
        reason: reasonOf({ cause: outcome.wouldTake ? "would_take" : "exchange", text: outcome.reason }),
      };
    case "unknown":
      return { clientId, state: "unknown", exchangeId: null, reason: outcome.reason };
  }
}

/** Events for an order that the exchange did not clearly accept. */
function eventsOfOutcome(order: Order, hold: Hold, outcome: CreateOutcome): Event[] {
  // The market has moved between the pass's read and the order, which is normal.
  if (outcome.result === "rejected" && outcome.wouldTake) return [];
  if (outcome.result === "rejected") return [eventOf(order, hold, outcome.reason, "rejected")];
  if (outcome.result !== "unknown") return [];
  return [eventOf(order, hold, `the exchange did not confirm the order: ${outcome.reason}`)];
}

const eventOf = (
  { account, strategy, clientId }: Order,
  { lease }: Hold,
  message: string,
  kind: Event["kind"] = "error",
): Event => ({ account, strategy, at: lease.now, kind, message: `${clientId}: ${message}` });

/** Maximum number of strategies that one batch writes without fills; other requests run between two batches. */
const STRATEGIES_PER_BATCH = 500;

/**
 * Writes one batch. Strategies without fills are written before it in parts if there are many: only fills belong
 * together, with the account's cursors and sums.
 */
export async function record(
  store: PassStore,
  snapshot: Snapshot,
  { changes }: Decision,
): Promise<ReadonlySet<string>> {
  if (changes.length === 0) return new Set();
  if (changes.length <= STRATEGIES_PER_BATCH) return recordPart(store, snapshot, changes);
  const isApart = ({ strategy, fills, orders, adopted }: Changes) =>
    strategy !== null && fills.length + orders.length + adopted.length === 0;
  const apart = changes.filter(isApart);
  const recorded = new Set<string>();
  for (let from = 0; from < apart.length; from += STRATEGIES_PER_BATCH) {
    const part = apart.slice(from, from + STRATEGIES_PER_BATCH);
    for (const id of await recordPart(store, snapshot, part)) recorded.add(id);
  }
  const together = changes.filter((change) => !isApart(change));
  if (together.length === 0) return recorded;
  return new Set([...recorded, ...(await recordPart(store, snapshot, together))]);
}

/** Writes one batch. If a constraint rejects it, writes strategy by strategy: one broken row blocks no other. */
async function recordPart(
  store: PassStore,
  snapshot: Snapshot,
  changes: readonly Changes[],
): Promise<ReadonlySet<string>> {
  try {
    return await store.record(snapshot.lease, changes);
  } catch (error) {
    if (!isConstraint(error)) throw error;
    return recordOneByOne(store, snapshot, changes);
  }
}

async function recordOneByOne(
  store: PassStore,
  { lease, strategies, cursors }: Snapshot,
  changes: readonly Changes[],
): Promise<ReadonlySet<string>> {
  const recorded = new Set<string>();
  let failed = false;
  for (const change of changes) {
    // The cursors are written last, and only if every strategy has booked its trades.
    const part = failed ? { ...change, cursors: firstCursors(change, changes, cursors) } : change;
    try {
      for (const id of await store.record(lease, [part])) recorded.add(id);
    } catch (error) {
      if (!isConstraint(error)) throw error;
      failed = true;
      const before = strategies.find(({ id }) => id === change.strategy?.id);
      if (before) await store.record(lease, [inError(before, error.message, lease.now)]);
    }
  }
  return recorded;
}

/** Adds a cursor at the first trade of a market without one; otherwise the next pass would book the trade again. */
function firstCursors(
  change: Changes,
  changes: readonly Changes[],
  known: Snapshot["cursors"],
): Changes["cursors"] {
  const fills = changes.flatMap((changes) => changes.fills);
  const fresh = Object.entries(change.cursors).filter(([symbol]) => known[symbol] === undefined);
  return Object.fromEntries(
    fresh.map(([symbol, { at }]) => {
      const booked = fills.filter((fill) => fill.symbol === symbol).map((fill) => fill.at);
      return [symbol, { at: Math.min(at, ...booked), ahead: null }];
    }),
  );
}

const isConstraint = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.failure === "constraint";

function inError(before: Strategy, message: string, at: Millis): Changes {
  const { id, version, account, phase, stoppedAt } = before;
  // The resume was tried, and is complete.
  const state = { ...before.state, resumes: before.resumes };
  const event = { account, strategy: id, at, kind: "error" as const, message };
  return {
    ...NO_CHANGES,
    strategy: { id, version, state, phase, stoppedAt, status: "error", lastError: message },
    events: [event],
  };
}
