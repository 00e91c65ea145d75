import { messageOf } from "../../kernel/errors.ts";
import type { Millis } from "../../kernel/time.ts";
import { termsOf } from "../../limits/standing.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Quote } from "../../model/market.ts";
import type { AccountMemory, Losses } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Advanced, Kinds } from "../../ports/kind.ts";
import type { Changes, Snapshot } from "../../ports/stores/step-store.ts";
import { adopt, revenants } from "../reconcile/adopt.ts";
import { noteUnexplained } from "../reconcile/books-check.ts";
import { withFeeValues } from "../reconcile/fee-value.ts";
import type { Observation } from "../reconcile/observation.ts";
import { listedIn } from "../reconcile/open-list.ts";
import { isContradicted, isFinal } from "../reconcile/order-life.ts";
import { type Reconciled, reconcile, reconcileLate } from "../reconcile/reconcile.ts";
import { nameUnreadable } from "../reconcile/unreadable.ts";
import { type AccountPass, turnOf } from "./account-pass.ts";
import { advance, book } from "./advance.ts";
import { accountChanges, changesAnything, changesOf, remember } from "./changes.ts";
import { noteUnreadable, stoppedUnreadable } from "./closed.ts";
import { judgeAccount, withStopped } from "./loss.ts";
import { afterTurn, firstShare } from "./share.ts";
import { cancellable, type Turn, unchanged } from "./turn.ts";

/** Writes of a pass, and the requests that it then sends to the exchange. */
export interface Decision {
  readonly changes: readonly Changes[];
  readonly cancels: readonly Order[];
  /** Only orders that `record` returns can be sent. */
  readonly creates: readonly Order[];
  /** Strategies that become active when all their new orders are accepted. */
  readonly placing: readonly string[];
  readonly memory: AccountMemory;
  /** Whether work is left for the next pass. */
  readonly short: boolean;
}

/** Limits of a pass, and the supported kinds of strategy. */
export interface PassTerms {
  readonly limit: number;
  readonly slow: string | null;
  readonly bounds: Bounds;
  readonly kinds: Kinds;
}

/** Decides for one account: books what happened to its orders, and plans the next ones of all its strategies. */
export function decide(snapshot: Snapshot, observed: Observation, terms: PassTerms): Decision {
  const { slow, bounds, kinds } = terms;
  const { now } = snapshot.lease;
  const observation = { ...observed, contradicted: contradictedAmong(snapshot, observed) };
  const isObserved = ({ symbol }: Strategy) => observation.markets.has(symbol);
  const before = snapshot.strategies.filter(isObserved);
  const known = reconcileObserved(snapshot, observation);
  const { reconciled: found, ...rest } = adopt(known, before, observation, now);
  const reconciled = found.map((reconciled) => withWorth(reconciled, observation));
  const strategies = bookAll(before, reconciled, { kinds, observation, now });
  const live = reconciled.map(({ order }) => order).filter(({ settled }) => !settled);
  const quotes = quotesOf(observation);
  const hidden = snapshot.strategies.filter((strategy) => !isObserved(strategy));
  const losses = judgeAccount(snapshot.memory, [...strategies, ...hidden], { bounds, quotes, kinds });
  const account = { snapshot, observation, strategies, kinds, live, losses, slow, ...rest };
  const { advanced, share } = advanceAll(account, terms);

  const others = reconciled.filter(({ order }) => !before.some(({ id }) => id === order.strategy));
  const { unreadable, events } = nameUnreadable(snapshot, observation, live);
  const unreported = unreportedChanges(snapshot, observation, kinds);
  const memory = { ...rememberAll(account, { reconciled, unreported, quotes }), unreadable };
  const written = isSameMemory(memory, snapshot.memory) ? null : memory;
  const changes = [
    ...advanced.map((one, index) =>
      changesOf(before[index] as Strategy, one, ofStrategy(reconciled, one.strategy), now),
    ),
    ...unreported,
    accountChanges(
      { reconciled: others, snapshot, observation, memory: written, waiting: rest.waiting, live, events },
      now,
    ),
  ];
  return {
    changes: changes.filter(changesAnything),
    cancels: cancelsOf(account, advanced),
    creates: advanced.flatMap(({ intents }) => intents),
    placing: advanced.filter(({ placing }) => placing).map(({ strategy }) => strategy.id),
    memory,
    short: share.short,
  };
}

/** Finds an order of ours whose state contradicts the exchange's response. */
const contradictedAmong = (
  { orders, lease }: Snapshot,
  { reports, timing }: Observation,
): Order | undefined =>
  orders.find((order) => isContradicted(order, reports.get(order.clientId), lease.now, timing));

function reconcileObserved({ orders, lease }: Snapshot, observation: Observation): readonly Reconciled[] {
  const isObserved = ({ symbol }: Order) => observation.markets.has(symbol);
  return [
    ...orders.filter(isObserved).map((order) => reconcile(order, observation, lease.now)),
    // An order that a stop left open belongs to the user: its trades are no longer the strategy's.
    ...observation.late.filter(isFinal).map((order) => reconcileLate(order, observation)),
  ];
}

/** Books the orders of each strategy. */
const bookAll = (
  strategies: readonly Strategy[],
  reconciled: readonly Reconciled[],
  { kinds, observation, now }: { kinds: Kinds; observation: Observation; now: Millis },
): Strategy[] =>
  strategies.map((strategy) => {
    const mine = ofStrategy(reconciled, strategy);
    const kind = kinds(strategy.kind);
    return noteUnexplained(
      kind,
      book(kind, strategy, mine, { now, backoff: observation.timing.backoff }),
      mine,
    );
  });

/** Advances one strategy after another; each one gets what the ones before it left of the funds and calls. */
function advanceAll(account: AccountPass, { limit, bounds }: Pick<PassTerms, "limit" | "bounds">) {
  const { snapshot, observation, strategies, kinds, live } = account;
  const orders = [...live, ...arrivingElsewhere(snapshot, observation)];
  let share = firstShare(observation, orders, { limit, bounds, strategies, kinds });
  const advanced = strategies.map((strategy, index) => {
    const context = turnOf(account, share, strategy);
    const mine = live.filter((order) => order.strategy === strategy.id);
    const done = advanceOrFail(strategy, mine, context);
    const quote = context.observed.quote ?? done.priced;
    const terms = quote && done.intents.length > 0 ? termsOf(bounds.standings, done.intents, quote) : null;
    share = afterTurn(share, { strategy, quote }, done);
    strategies[index] = done.strategy;
    return { ...done, terms };
  });
  return { advanced, share };
}

/** Returns orders of unread markets that can still arrive; from then on, the balances show what they lock. */
const arrivingElsewhere = (
  { orders, lease: { now } }: Snapshot,
  { markets, timing }: Observation,
): readonly Order[] =>
  orders.filter(({ symbol, notAfter }) => !markets.has(symbol) && now < notAfter + timing.readLag);

interface PassResults {
  readonly reconciled: readonly Reconciled[];
  /** Changes of strategies whose market is unreadable. */
  readonly unreported: readonly Changes[];
  readonly quotes: ReadonlyMap<string, Quote>;
}

function rememberAll(
  { snapshot: { memory, lease, ...before }, observation, strategies, losses, kinds, waiting }: AccountPass,
  { reconciled, unreported, quotes }: PassResults,
): AccountMemory {
  const fills = reconciled.flatMap((reconciled) => reconciled.fills);
  const ended = unreported.flatMap(({ strategy }) => (strategy?.status === "stopped" ? strategy.id : []));
  const gone = before.strategies.filter(({ id }) => ended.includes(id));
  const stopped = [...strategies.filter(({ status }) => status === "stopped"), ...gone];
  const judged = withStopped(losses, stopped, { memory, quotes, kinds });
  return remember(withLosses(memory, judged), observation, { fills, waiting, now: lease.now });
}

/**
 * Returns the cancels, first of those orders that the exchange lists as open. If there is no time to look up the others,
 * they would be canceled again in each pass, and the open ones never.
 */
function cancelsOf(
  { snapshot: { kill }, observation, live }: AccountPass,
  advanced: readonly Pick<Advanced, "cancels">[],
): Order[] {
  const cancels = eachOnce([
    ...advanced.flatMap(({ cancels }) => cancels),
    ...revenants(observation),
    ...(kill.on && kill.cancels ? cancellable(live) : []),
  ]);
  const listedAs = listedIn([...observation.markets.values()].flatMap(({ open }) => open));
  const listed = new Set(cancels.filter(listedAs));
  return [...listed, ...cancels.filter((order) => !listed.has(order))];
}

const eachOnce = (cancels: readonly Order[]): Order[] => [
  ...new Map(cancels.map((order) => [order.clientId, order])).values(),
];

const quotesOf = ({ markets }: Observation): ReadonlyMap<string, Quote> =>
  new Map([...markets].flatMap(([symbol, { quote }]) => (quote ? [[symbol, quote] as const] : [])));

// Returns the same memory if no loss of an account is limited.
const withLosses = (memory: AccountMemory, losses: Losses): AccountMemory =>
  losses === (memory.losses ?? losses) && (memory.losses || Object.keys(losses).length === 0)
    ? memory
    : { ...memory, losses };

// The rest of it is written when the pass ends.
const isSameMemory = (a: AccountMemory, b: AccountMemory): boolean =>
  a.moved === b.moved && a.baseline === b.baseline && a.losses === b.losses && a.unreadable === b.unreadable;

function withWorth(
  reconciled: Reconciled,
  { markets, feePrices: mids = new Map() }: Observation,
): Reconciled {
  if (reconciled.fills.length === 0) return reconciled;
  const { market } = markets.get(reconciled.order.symbol) ?? {};
  return { ...reconciled, fills: reconciled.fills.map((fill) => withFeeValues(fill, { mids, market })) };
}

const ofStrategy = (reconciled: readonly Reconciled[], { id }: Strategy): Reconciled[] =>
  reconciled.filter(({ order }) => order.strategy === id);

// Strategies on markets that the exchange refuses to return: nothing is known of their orders.
const unreportedChanges = (
  { strategies, orders, lease: { now } }: Snapshot,
  { refused }: Observation,
  kinds: Kinds,
): Changes[] =>
  strategies.flatMap((before) => {
    const reason = refused.get(before.symbol);
    if (reason === undefined) return [];
    const live = orders.filter(({ strategy }) => strategy === before.id);
    const kind = kinds(before.kind);
    const stopped = stoppedUnreadable(before, { reason, kind, live, now });
    const advanced = unchanged(stopped ?? noteUnreadable(before, reason, now), undefined);
    const released = stopped ? live.map((order) => ({ ...order, settled: true })) : [];
    return [changesOf(before, { ...advanced, released }, live.map(unobserved), now)];
  });

const unobserved = (order: Order): Reconciled => ({
  ...{ order, before: order, fills: [] },
  ...{ ended: false, lost: false, adopted: false },
});

// A strategy that cannot continue stops only itself; its orders are still processed.
function advanceOrFail(strategy: Strategy, live: readonly Order[], context: Turn): Advanced {
  try {
    return advance(strategy, live, context);
  } catch (error) {
    return unchanged({ ...strategy, status: "error", lastError: messageOf(error) }, context.funds);
  }
}
