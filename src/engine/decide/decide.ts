import { type Decimal, min, sum, ZERO } from "../../kernel/decimal.ts";
import { messageOf } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import { termsOf } from "../../limits/standing.ts";
import { balanceIn, unreadBalance } from "../../model/account.ts";
import type { Bounds } from "../../model/limits.ts";
import type { BidAsk, Market } from "../../model/market.ts";
import type { AccountMemory, Losses } from "../../model/memory.ts";
import { type Capital, groupBy, type Order, type OwnBase, ordersOf } from "../../model/order.ts";
import { need, type Strategy } from "../../model/strategy.ts";
import type { AdvancedStrategy, Kinds, StrategyLines } from "../../ports/kind.ts";
import type { Changes, Snapshot } from "../../ports/stores/pass-store.ts";
import { estimatedFeeEvents, nameUnreadable, noteUnexplained } from "../reconcile/books-check.ts";
import { withFeeValues } from "../reconcile/fee-values.ts";
import { isContradicted, listedIn } from "../reconcile/order-fills.ts";
import {
  type MarketSnapshot,
  type Observation,
  type Reconciled,
  reconcileObserved,
} from "../reconcile/reconcile.ts";
import { type AdoptedOrder, adopt, reopenedOrders } from "../reconcile/recovery.ts";
import { neededOf, needsOf } from "../reserves.ts";
import { advance, book, type DecisionSteps, linesOf } from "./advance.ts";
import {
  type AccountStrategies,
  accountChanges,
  afterTurn,
  capitalsOf,
  changesAnything,
  changesOf,
  firstShare,
  ofAllMarkets,
  remember,
  type StrategyAllowance,
} from "./changes.ts";
import { judgeEnding } from "./ending.ts";
import { cancellable, isRecovering, rhythmOf, type StrategyPass, unchanged, windowOf } from "./intents.ts";
import { judgeAccount, judgeLoss, withStopped } from "./loss.ts";
import { noteUnreadable, stoppedUnreadable } from "./stop.ts";
import { type FoundWait, waitsAfter, waitsOf } from "./waits.ts";

/** Writes of a pass, and the requests that it then sends to the exchange. */
export interface Decision {
  readonly changes: readonly Changes[];
  readonly cancels: readonly Order[];
  /** Only orders that `record` returns can be sent. */
  readonly creates: readonly Order[];
  /** Strategies that become active when all their new orders are accepted. */
  readonly placing: readonly string[];
  readonly memory: AccountMemory;
  readonly logs: readonly StrategyLines[];
  /** Whether work is left for the next pass. */
  readonly short: boolean;
}

/** Limits of a pass, and the supported kinds of strategy. */
interface PassTerms {
  readonly limit: number;
  readonly slow: string | null;
  readonly bounds: Bounds;
  readonly kinds: Kinds;
}

/** Decides for one account: books what happened to its orders, and plans the next ones of all its strategies. */
export function decide(...args: Parameters<typeof decideInSteps>): Decision {
  const steps = decideInSteps(...args);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (value) throw new Error("decide() cannot wait for code in another process");
  }
}

/** Does the same in short steps, between which a process can do other work. It needs the value of each yielded promise. */
export function* decideInSteps(
  snapshot: Snapshot,
  observed: Observation,
  terms: PassTerms,
): DecisionSteps<Decision> {
  const { slow, bounds, kinds } = terms;
  const { now } = snapshot.lease;
  const observation = { ...observed, contradicted: contradictedAmong(snapshot, observed) };
  const isObserved = ({ symbol }: Strategy) => observation.markets.has(symbol);
  const before = snapshot.strategies.filter(isObserved);
  const known = yield* reconcileObserved(snapshot.orders, observation, now);
  const { reconciled: found, ...rest } = adopt(known, before, observation, now);
  const reconciled = found.map((reconciled) => withWorth(reconciled, observation));
  const byStrategy = groupBy(reconciled, ({ order }) => order.strategy);
  const strategies = yield* bookAll(before, byStrategy, { kinds, observation, now });
  const live = reconciled.map(({ order }) => order).filter(({ settled }) => !settled);
  const quotes = quotesOf(observation);
  const hidden = snapshot.strategies.filter((strategy) => !isObserved(strategy));
  const losses = judgeAccount(snapshot.memory, [...strategies, ...hidden], { bounds, quotes, kinds });
  const account = { snapshot, observation, strategies, kinds, live, losses, slow, ...rest };
  const { advanced, share, found: waiting } = yield* advanceAll(account, terms);

  const ids = new Set<string | null>(before.map(({ id }) => id));
  const others = reconciled.filter(({ order }) => !ids.has(order.strategy));
  const { unreadable, events } = nameUnreadable(snapshot, observation, live);
  const { waits, events: waitEvents } = waitsNow(snapshot, hidden, waiting);
  const unreported = unreportedChanges(snapshot, observation, kinds);
  const memory = { ...rememberAll(account, { reconciled, unreported, quotes }), unreadable, waits };
  const written = isSameMemory(memory, snapshot.memory) ? null : memory;
  const changes = [
    ...advanced.map((one, index) =>
      changesOf(before[index] as Strategy, one, byStrategy.get(one.strategy.id) ?? [], now),
    ),
    ...unreported,
    accountChanges(
      {
        reconciled: others,
        snapshot,
        observation,
        memory: written,
        waiting: rest.waiting,
        live,
        events: [...events, ...estimatedFeeEvents(snapshot.lease, reconciled), ...waitEvents],
      },
      now,
    ),
  ];
  return {
    changes: changes.filter(changesAnything),
    cancels: cancelsOf(account, advanced),
    creates: advanced.flatMap(({ intents }) => intents),
    placing: advanced.filter(({ placing }) => placing).map(({ strategy }) => strategy.id),
    memory,
    logs: advanced.flatMap(linesOf),
    short: share.short,
  };
}

/** Finds an order of ours whose state contradicts the exchange's response. */
const contradictedAmong = (
  { orders, lease }: Snapshot,
  { reports, timing }: Observation,
): Order | undefined =>
  orders.find((order) => isContradicted(order, reports.get(order.clientId), lease.now, timing));

/** Books the orders of each strategy. */
function* bookAll(
  strategies: readonly Strategy[],
  reconciled: ReadonlyMap<string | null, readonly Reconciled[]>,
  { kinds, observation, now }: { kinds: Kinds; observation: Observation; now: Millis },
): DecisionSteps<Strategy[]> {
  const all: Strategy[] = [];
  for (const strategy of strategies) {
    const mine = reconciled.get(strategy.id) ?? [];
    const kind = kinds(strategy.kind);
    const booked = book(kind, strategy, mine, { now, backoff: observation.timing.backoff });
    all.push(noteUnexplained(kind, booked, mine));
    yield;
  }
  return all;
}

/** Advances one strategy after another; each one gets what the ones before it left of the funds and calls. */
function* advanceAll(account: AccountPass, { limit, bounds }: Pick<PassTerms, "limit" | "bounds">) {
  const { snapshot, observation, strategies, kinds, live } = account;
  const orders = [...live, ...arrivingElsewhere(snapshot, observation)];
  let share = firstShare(observation, orders, { limit, bounds, strategies, kinds });
  const all = ofAllMarkets({ strategies, kinds, orders: live }, snapshot, observation);
  const capitals = capitalsOf(observation, all);
  const advanced: AdvancedStrategy[] = [];
  const found: FoundWait[] = [];
  for (const [index, strategy] of strategies.entries()) {
    const capital = capitals.of(strategy, share.openBuys);
    const context = turnOf(account, share, strategy, capital);
    const mine = ordersOf(live, strategy.id);
    const done = yield* advanceOrFail(strategy, mine, context);
    const quote = context.observed.quote ?? done.priced;
    const terms = quote && done.intents.length > 0 ? termsOf(bounds.standings, done.intents, quote) : null;
    share = afterTurn(share, { strategy, quote }, done);
    strategies[index] = done.strategy;
    capitals.note(strategy, done.strategy);
    found.push(...waitsOf(done.strategy, mine, context, snapshot.memory.waits));
    advanced.push({ ...done, terms });
    yield;
  }
  return { advanced, share, found };
}

/** Returns the waits after this pass; those of strategies whose market was not read go on. */
function waitsNow(
  { memory, lease }: Snapshot,
  hidden: readonly Strategy[],
  found: readonly FoundWait[],
): ReturnType<typeof waitsAfter> {
  const ids = new Set<string | null>(hidden.map(({ id }) => id));
  const still = (memory.waits ?? []).filter(({ strategy }) => ids.has(strategy));
  return waitsAfter(memory.waits, [...still, ...found], lease);
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
  readonly quotes: ReadonlyMap<string, BidAsk>;
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
  advanced: readonly Pick<AdvancedStrategy, "cancels">[],
): Order[] {
  const cancels = eachOnce([
    ...advanced.flatMap(({ cancels }) => cancels),
    ...reopenedOrders(observation),
    ...(kill.on && kill.cancels ? cancellable(live) : []),
  ]);
  if (cancels.length === 0) return [];
  const listedAs = listedIn([...observation.markets.values()].flatMap(({ open }) => open));
  const listed = new Set(cancels.filter(listedAs));
  return [...listed, ...cancels.filter((order) => !listed.has(order))];
}

const eachOnce = (cancels: readonly Order[]): Order[] => [
  ...new Map(cancels.map((order) => [order.clientId, order])).values(),
];

const quotesOf = ({ markets }: Observation): ReadonlyMap<string, BidAsk> =>
  new Map([...markets].flatMap(([symbol, { quote }]) => (quote ? [[symbol, quote] as const] : [])));

// Returns the same memory if no loss of an account is limited.
const withLosses = (memory: AccountMemory, losses: Losses): AccountMemory =>
  losses === (memory.losses ?? losses) && (memory.losses || Object.keys(losses).length === 0)
    ? memory
    : { ...memory, losses };

// The rest of it is written when the pass ends.
const isSameMemory = (a: AccountMemory, b: AccountMemory): boolean =>
  a.moved === b.moved &&
  a.baseline === b.baseline &&
  a.losses === b.losses &&
  a.unreadable === b.unreadable &&
  a.waits === b.waits;

function withWorth(
  reconciled: Reconciled,
  { markets, feePrices: mids = new Map() }: Observation,
): Reconciled {
  if (reconciled.fills.length === 0) return reconciled;
  const { market } = markets.get(reconciled.order.symbol) ?? {};
  return { ...reconciled, fills: reconciled.fills.map((fill) => withFeeValues(fill, { mids, market })) };
}

const unobserved = (order: Order): Reconciled => ({
  order,
  before: order,
  fills: [],
  ended: false,
  lost: false,
  adopted: false,
});

// Strategies on markets that the exchange refuses to return: nothing is known of their orders.
const unreportedChanges = (
  { strategies, orders, lease: { now } }: Snapshot,
  { refused }: Observation,
  kinds: Kinds,
): Changes[] =>
  strategies.flatMap((before) => {
    const reason = refused.get(before.symbol);
    if (reason === undefined) return [];
    const live = ordersOf(orders, before.id);
    const kind = kinds(before.kind);
    const stopped = stoppedUnreadable(before, { reason, kind, live, now });
    const advanced = unchanged(stopped ?? noteUnreadable(before, reason, now), undefined);
    const released = stopped ? live.map((order) => ({ ...order, settled: true })) : [];
    return [changesOf(before, { ...advanced, released }, live.map(unobserved), now)];
  });

// A strategy that cannot continue stops only itself; its orders are still processed.
function* advanceOrFail(
  strategy: Strategy,
  live: readonly Order[],
  context: StrategyPass,
): DecisionSteps<AdvancedStrategy> {
  try {
    return yield* advance(strategy, live, context);
  } catch (error) {
    return unchanged({ ...strategy, status: "error", lastError: messageOf(error) }, context.funds);
  }
}

/** One pass of an account, after its fills are booked. */
interface AccountPass extends Pick<AdoptedOrder, "orphan" | "stranger" | "waiting"> {
  readonly snapshot: Snapshot;
  readonly observation: Observation;
  /** The strategies after this pass. */
  readonly strategies: Strategy[];
  readonly live: readonly Order[];
  readonly losses: Losses;
  readonly slow: string | null;
  readonly kinds: Kinds;
}

/**
 * Returns what a strategy can use now. It places no order before its market's trades are read, because the database
 * can lack an order that has filled.
 */
function turnOf(
  { snapshot, observation, strategies, kinds, live, losses, orphan, stranger, waiting, slow }: AccountPass,
  share: StrategyAllowance,
  strategy: Strategy,
  capital: Capital | undefined,
): StrategyPass {
  const { timing, markets } = observation;
  const observed = markets.get(strategy.symbol) as MarketSnapshot;
  const { market } = observed;
  const { now } = snapshot.lease;
  const kind = kinds(strategy.kind);
  const accountLoss = losses[splitPair(strategy.symbol).quote]?.watch?.over ?? null;
  return {
    kind,
    observed,
    now,
    ...rhythmOf(snapshot),
    window: windowOf(snapshot.lease, timing),
    funds: share.funds,
    doubted: share.doubted,
    capital,
    confidence: observation.confidence?.get(strategy.symbol)?.value,
    ownBase:
      strategy.phase === "starting" && market
        ? ownBase(market, observation, {
            ...snapshot,
            ...ofAllMarkets({ strategies, kinds, orders: live }, snapshot, observation),
          })
        : undefined,
    resting: share.resting.get(strategy.symbol) ?? [],
    killed: snapshot.kill.on,
    panics: snapshot.kill.on && snapshot.kill.sells,
    clears: snapshot.kill.on && snapshot.kill.cancels,
    orphan,
    stranger,
    unshown: observation.contradicted?.clientId ?? null,
    epoch: snapshot.epoch,
    ...searchTermsOf(snapshot, waiting, strategy),
    timing,
    limit: observed.tradesRead ? share.limit : 0,
    slow,
    bounds: share.bounds,
    judge(one, quote, atMarket) {
      const judged = judgeLoss(kind, one, { quote, bounds: share.bounds, accountLoss });
      return atMarket ? judgeEnding(kind, judged, atMarket) : judged;
    },
  };
}

const searchTermsOf = (
  { memory }: Snapshot,
  waiting: AdoptedOrder["waiting"],
  { symbol }: Strategy,
): Pick<StrategyPass, "isWaiting" | "readAt"> => ({
  isWaiting: waiting.has(symbol),
  readAt: memory.tradesAt?.[symbol],
});

/**
 * Returns the free base that no strategy of the account holds or needs, and no manual order uses. Balances must be
 * read before orders and trades; otherwise a fill in between would look like the user's base.
 */
export function ownBase(
  market: Market,
  observation: Observation,
  {
    strategies,
    kinds,
    orders,
    lease: { now },
    booked,
    epoch,
  }: AccountStrategies & Pick<Snapshot, "orders" | "lease" | "booked" | "epoch">,
): OwnBase | undefined {
  const { balances, balancesFirst, markets } = observation;
  if (!balances || !balancesFirst) return undefined;
  const asset = market.base;
  if (lacksFills(asset, strategies, observation, { epoch, now })) return { least: ZERO, isSure: false };
  if (unreadBalance(balances, asset)) return { least: ZERO, isSure: false };
  const { free, used } = balanceIn(balances, asset);
  const same = strategies.filter(({ symbol }) => splitPair(symbol).base === asset);
  const mine = same.flatMap(({ id }) => ordersOf(orders, id));
  const holding = sum(same.map(({ kind, state }) => kinds(kind).holdings(state).base));
  const manual = manualUses(orders, market);
  const sells = mine.filter(({ side }) => side === "sell");
  const uses = [...sells.map((order) => ({ order, amount: order.amount - order.booked })), ...manual];
  const sure = uses.filter(({ order }) => hasLocked(order, observation, now));
  // Base that is not used is not locked, whatever an order of ours looks like.
  const locked = min(used, sum(sure.map(({ amount }) => amount)));
  const spending = strategies.filter(({ symbol }) => splitPair(symbol).quote === asset);
  const needs = needsOf(spending, orders, { kinds, marketOf: () => market });
  const kept = neededOf(needs, { asset, used: used - locked });
  const unbooked = sum(mine.map((order) => unbookedBuy(order, observation)));
  const given = givenLately(asset, observation, { booked, now });
  const inUse = holding + sum(manual.map(({ amount }) => amount));
  // The exchange can refuse a market forever, so a start must not wait for it.
  const isRead = same.every(({ symbol }) => markets.has(symbol));
  return {
    least: free - (inUse - locked) - kept - unbooked - given,
    isSure: isRead && sure.length === uses.length && given === ZERO,
  };
}

/**
 * Returns whether fills of strategies that trade an asset can be missing, because the database was restored or has
 * lost commits. A market that the exchange refuses cannot recover, so nothing waits for it.
 */
const lacksFills = (
  asset: string,
  strategies: readonly Strategy[],
  { markets, timing }: Observation,
  { epoch, now }: Pick<Snapshot, "epoch"> & { now: Millis },
): boolean =>
  strategies.some((strategy) => {
    const { base, quote } = splitPair(strategy.symbol);
    if ((base !== asset && quote !== asset) || !markets.has(strategy.symbol)) return false;
    return isRecovering(strategy, { orphan: null, unshown: null, epoch, now, timing });
  });

/** Returns what each manual order uses of the market's base, at the fees of this market. */
const manualUses = (orders: readonly Order[], market: Market) =>
  orders
    .filter(({ strategy }) => strategy === null)
    .map((order) => {
      const { symbol, side, price, amount, filled } = order;
      return {
        order,
        ...need({ ...market, ...splitPair(symbol) }, { side, price, amount: amount - filled }),
      };
    })
    .filter(({ asset }) => asset === market.base);

// The balances can be older than a trade by the read lag: then they still contained what it gave away.
function givenLately(
  asset: string,
  { markets, timing }: Observation,
  { booked, now }: Pick<Snapshot, "booked"> & { now: Millis },
): Decimal {
  if (timing.readLag === 0) return ZERO;
  const fills = [
    ...Object.entries(booked).map(([symbol, known]) => [symbol, [...known.values()]] as const),
    ...[...markets].map(([symbol, { trades }]) => [symbol, trades] as const),
  ];
  return sum(
    fills.flatMap(([symbol, some]) => {
      const { base, quote } = splitPair(symbol as Pair);
      return some
        .filter(({ at }) => at + timing.skew > now - timing.readLag)
        .filter(({ side }) => (side === "sell" ? base : quote) === asset)
        .map(({ side, amount, notional }) => (side === "sell" ? amount : notional));
    }),
  );
}

// The balances can be older than the order by the read lag: then they still contained its base.
function hasLocked({ clientId }: Order, { reports, timing }: Observation, now: Millis): boolean {
  const report = reports.get(clientId);
  if (typeof report !== "object") return false;
  return timing.readLag === 0 || report.at + timing.skew <= now - timing.readLag;
}

// If reads are delayed, an order that still looks open can have filled before the balances were read.
function unbookedBuy(
  { side, clientId, amount, filled, booked }: Order,
  { reports, timing }: Observation,
): Decimal {
  if (side === "sell") return ZERO;
  const isCertain = timing.readLag === 0 && typeof reports.get(clientId) === "object";
  return (isCertain ? filled : amount) - booked;
}
