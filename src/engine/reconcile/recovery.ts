import { type Decimal, text, ZERO } from "../../kernel/decimal.ts";
import { generationNear, parseClientOrderId, serialAt, strategyTag } from "../../kernel/ids.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { isAhead, type Millis, timeInPast } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import type { AccountMemory } from "../../model/memory.ts";
import { NEW_ORDER, type Order } from "../../model/order.ts";
import {
  EXIT_SLOT,
  type Refusal,
  type Strategy,
  type StrategyState,
  timeInForceOf,
  type Unexplained,
  type UnreadTrade,
} from "../../model/strategy.ts";
import type { Kind } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/pass-store.ts";
import type { Timing, UnreadableFill, VenueOrder } from "../../ports/venue.ts";
import { isFinal, TRADES_WAIT } from "./fill-cursor.ts";
import {
  areTradesRequested,
  hasOwnSums,
  type Observation,
  type Reconciled,
  reconcileFound,
  settledFromSums,
  wouldBeObserved,
} from "./reconcile.ts";

/*
 * A restored database does not know what was placed since its backup, and a trade can arrive for an order that was
 * given up. The open list and the trades show both. A client order id identifies the strategy and the slot, so an
 * unknown order gets its row.
 */

/** Number of skipped generations: the strategy could have been rebuilt since its backup. */
const SKIPPED_GENERATIONS = 100;

/** Returns whether a strategy has not processed the database's epoch yet. */
export const isBehind = ({ state, epoch }: Strategy, now: number): boolean => (state.epoch ?? epoch) !== now;

/** Returns the time until everything in progress is visible. */
export const longestRecovery = ({ leaseTtl, expiry, skew, readLag }: Timing): Millis =>
  leaseTtl + expiry + skew + readLag;

/** Returns whether everything in progress is visible, but ended orders were not searched yet. */
export const isSearchingEndedOrders = ({ state }: Strategy, now: Millis, timing: Timing): boolean =>
  state.searchSince !== undefined && !isAhead(state.recoversUntil, now, longestRecovery(timing));

/**
 * Processes a new epoch after all trades are read: skips generations, and places nothing until everything in progress
 * is visible.
 */
export function recover(
  strategy: Strategy,
  {
    kind,
    epoch,
    isWaiting,
    now,
    timing,
    observed,
    readAt,
  }: {
    kind: Kind;
    epoch: number;
    isWaiting: boolean;
    now: Millis;
    timing: Timing;
    observed: { readonly tradesRead: boolean; readonly searched?: boolean };
    /** When the restored database last read all trades of the market. */
    readAt: Millis | undefined;
  },
): StrategyState {
  if (isWaiting || !observed.tradesRead) return strategy.state;
  if (!isBehind(strategy, epoch))
    return observed.searched && isSearchingEndedOrders(strategy, now, timing)
      ? searched(strategy.state)
      : strategy.state;
  const since = Math.max(strategy.startedAt, readAt ?? 0);
  const state = kind.skipGenerations(strategy, SKIPPED_GENERATIONS);
  return {
    ...state,
    epoch,
    epochSerial: Math.max(state.serial, serialAt(now)),
    recoversUntil: now + longestRecovery(timing),
    searchSince: Math.min(state.searchSince ?? since, since) - timing.overlap,
  };
}

const searched = ({ searchSince: _searchSince, ...state }: StrategyState): StrategyState => state;

/** Returns the serial of an order, which shows its place among all orders of its strategy. */
export const serialOf = ({ clientId }: Pick<Order, "clientId">): number =>
  parseClientOrderId(clientId)?.serial ?? 0;

/** Returns whether an order on the exchange belongs to a strategy, by the format of its id. */
export const isOfStrategy = ({ clientId }: VenueOrder): boolean =>
  clientId !== undefined && parseClientOrderId(clientId) !== undefined;

/** Returns the row of an order that only the exchange knew; undefined if it belongs to none of the current strategies. */
export function adopted(
  venueOrder: VenueOrder,
  strategies: readonly Strategy[],
  now: Millis,
): Order | undefined {
  const key = parseClientOrderId(venueOrder.clientId ?? "");
  const strategy = strategies.find(({ number }) => strategyTag(number) === key?.tag);
  if (!key || !strategy) return undefined;
  return {
    ...NEW_ORDER,
    clientId: venueOrder.clientId ?? "",
    account: strategy.account,
    strategy: strategy.id,
    kind: key.slot === EXIT_SLOT ? "exit" : "slot",
    generation: generationNear(key.generation, strategy.state.generation),
    slot: key.slot,
    symbol: strategy.symbol,
    side: venueOrder.side,
    type: venueOrder.type,
    price: venueOrder.price,
    amount: venueOrder.amount,
    timeInForce: timeInForceOf(key.slot, strategy.config),
    state: "submitted",
    exchangeId: venueOrder.id,
    createdAt: venueOrder.at,
    sendBy: now,
    notAfter: now,
  };
}

/** Returns the difference per asset between the kind's books and its fills; empty if they agree. */
export function unexplainedAssets(
  kind: Kind,
  state: StrategyState,
  symbol: Pair,
): Readonly<Record<string, Decimal>> {
  const { ledger } = state;
  const result = kind.movedByBooks(state, symbol);
  const assets = new Set([...Object.keys(result), ...Object.keys(ledger.moved)]);
  const differences = [...assets].map(
    (asset) => [asset, (result[asset] ?? ZERO) - (ledger.moved[asset] ?? ZERO)] as const,
  );
  return Object.fromEntries(differences.filter(([, difference]) => difference !== ZERO));
}

/** Records the orders whose fills are the first that the ledger does not explain. */
export function noteUnexplained(kind: Kind, strategy: Strategy, reconciled: readonly Reconciled[]): Strategy {
  const { state, symbol } = strategy;
  const booked = reconciled.filter(({ fills }) => fills.length > 0);
  if (booked.length === 0 || state.unexplained?.order) return strategy;
  if (Object.keys(unexplainedAssets(kind, state, symbol)).length === 0) return strategy;
  const order = booked.map(({ order: { clientId } }) => clientId).join(", ");
  const unexplained = { since: null, assets: {}, ...state.unexplained, order };
  return { ...strategy, state: { ...state, unexplained } };
}

/** Its unsettled orders, and trade rows that this pass could not read. */
interface BookedOrders {
  readonly live: readonly Order[];
  readonly rows?: readonly UnreadableFill[];
}

/**
 * Compares a strategy with its fills: assets, and orders with less booked than filled. A difference that lasts ten
 * minutes puts it in error; a strategy that is stopping continues.
 */
export function booksChecked(
  kind: Kind,
  strategy: Strategy,
  { live, now, rows = [] }: { readonly now: Millis } & BookedOrders,
): Strategy {
  const { state, symbol, status, wants } = strategy;
  const known = state.unexplained ?? null;
  const found = differences(unexplainedAssets(kind, state, symbol), strategy, { live, rows });
  if (!found)
    return known === null
      ? strategy
      : { ...strategy, state: { ...state, unexplained: null, refused: withoutMissing(state) } };
  // Each order has its own ten minutes, because another one can lack trades before the first one got its trades.
  const since =
    timeInPast(found.since, now) ??
    (known?.order === found.order ? timeInPast(known.since, now) : undefined) ??
    now;
  const same =
    known?.since === since &&
    known.order === found.order &&
    isSameDifference(known.assets, found.assets) &&
    tradeNames(known) === tradeNames(found);
  const noted = same ? strategy : { ...strategy, state: { ...state, unexplained: { ...found, since } } };
  // An order that can be booked from its own sums is booked by the first pass that has time to look for its trades once
  // more.
  const isBookable = live.some(
    (order) => order.clientId === found.order && order.behindSince !== null && hasOwnSums(order),
  );
  if (now - since < TRADES_WAIT || isBookable) return noted;
  if (status === "error") return withMissing(noted, live);
  const result = { ...withMissing(noted, live), lastError: messageFor(found) };
  return wants === "stop" || state.exit ? result : { ...result, status: "error" };
}

// The order's own figures are not sufficient to book it.
function withMissing({ state, ...strategy }: Strategy, live: readonly Order[]): Strategy {
  const behind = live.filter((order) => order.behindSince !== null && order.generation === state.generation);
  const missing = behind.map(
    ({ slot, clientId }): Refusal => ({ slot, reason: "fills_missing", detail: clientId }),
  );
  const others = withoutMissing(state).filter(({ slot }) => !behind.some((order) => order.slot === slot));
  const before = state.refused.filter(({ reason }) => reason === "fills_missing");
  const isKnown =
    before.length === missing.length &&
    missing.every(({ detail }) => before.some((refusal) => refusal.detail === detail));
  return isKnown
    ? { ...strategy, state }
    : { ...strategy, state: { ...state, refused: [...others, ...missing] } };
}

const withoutMissing = ({ refused }: StrategyState): Refusal[] =>
  refused.filter(({ reason }) => reason !== "fills_missing");

const tradeNames = ({ trades = [] }: Unexplained): string => trades.map(({ trade }) => trade).join(" ");

function differences(
  assets: Unexplained["assets"],
  { state, symbol }: Strategy,
  { live, rows = [] }: BookedOrders,
): Unexplained | undefined {
  const [short] = live
    .flatMap((order) => (order.behindSince === null ? [] : [{ ...order, since: order.behindSince }]))
    .sort((a, b) => a.since - b.since);
  if (short) {
    const { base } = splitPair(symbol);
    const lacks = (assets[base] ?? ZERO) + short.filled - short.booked;
    const trades = unreadOf(state, live, rows);
    return {
      order: short.clientId,
      since: short.since,
      assets: { ...assets, [base]: lacks },
      ...(trades.length > 0 ? { trades } : {}),
    };
  }
  if (Object.keys(assets).length === 0) return undefined;
  return { order: state.unexplained?.order ?? null, since: null, assets };
}

/** Returns unread trades of this and earlier passes, because not every pass queries an order's trades. */
function unreadOf(
  { unexplained }: StrategyState,
  live: readonly Order[],
  rows: readonly UnreadableFill[],
): readonly UnreadTrade[] {
  const short = live.filter(({ behindSince }) => behindSince !== null);
  const before = (unexplained?.trades ?? []).filter(({ order }) =>
    short.some(({ clientId }) => clientId === order),
  );
  const found = short.flatMap((order) => unreadTrades(order, rows));
  return [
    ...before.filter(({ trade }) => !found.some((unreadTrade) => unreadTrade.trade === trade)),
    ...found,
  ];
}

const isSameDifference = (a: Unexplained["assets"], b: Unexplained["assets"]): boolean => {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((asset) => a[asset] === b[asset]);
};

function messageFor({ order, assets, trades = [] }: Unexplained): string {
  const amounts = Object.entries(assets).map(([asset, amount]) => `${text(amount)} ${asset}`);
  const whose = order === null ? "without a matching order" : `its trades do not match order ${order}:`;
  const unread = trades.map(({ trade, reason }) => `; trade ${trade} is not booked, ${reason}`).slice(0, 3);
  return `${whose} ${amounts.join(", ")}${unread.join("")}; nothing is placed until this is settled`;
}

/** Maximum number of rows that are remembered as reported. */
const MAX_REPORTED_ROWS = 200;

/** Identifies a row that has no id. */
const fillName = ({ id, orderId, at }: UnreadableFill): string =>
  id ?? `of ${orderId ?? "no order"} at ${at}`;

/** Returns rows of an order's trades that cannot be booked as the exchange returned them. */
export const unreadTrades = (
  { exchangeId, clientId }: Order,
  rows: readonly UnreadableFill[],
): UnreadTrade[] =>
  rows
    .filter(({ orderId }) => orderId !== null && orderId === exchangeId)
    .map((row) => ({ order: clientId, trade: fillName(row), reason: row.reason }));

/** Reports each row once, with its order; ignores rows of others' orders. */
export function nameUnreadable(
  { lease, memory }: Snapshot,
  { markets }: Observation,
  orders: readonly Order[],
): { readonly events: readonly Event[]; readonly unreadable: AccountMemory["unreadable"] } {
  const known = memory.unreadable ?? [];
  const events: Event[] = [];
  const named: string[] = [];
  for (const [symbol, observed] of markets) {
    for (const row of observed.unreadable) {
      const order = orders.find(({ exchangeId }) => exchangeId !== null && exchangeId === row.orderId);
      const name = fillName(row);
      if ((!order && row.orderId !== null) || known.includes(name)) continue;
      named.push(name);
      const whose = order ? order.clientId : `owner unknown, on ${symbol}`;
      events.push({
        account: lease.account,
        strategy: order?.strategy ?? null,
        at: lease.now,
        kind: "unreadable",
        message: `${whose}: trade ${name} is not booked, ${row.reason}`,
      });
    }
  }
  return {
    events,
    unreadable: named.length === 0 ? memory.unreadable : [...known, ...named].slice(-MAX_REPORTED_ROWS),
  };
}

export interface AdoptedOrder {
  /** All orders of the account, including those that only the exchange knew. */
  readonly reconciled: readonly Reconciled[];
  /** An open order of one of these strategies that must wait for its row. */
  readonly orphan: string | null;
  /** An open order of a strategy that this database does not know. */
  readonly stranger: string | null;
  /** When the first waiting order was placed: its market is read again from that time. */
  readonly waiting: ReadonlyMap<Pair, Millis>;
}

/** Creates rows for orders that only the exchange knew, in the order of each slot. */
export function adopt(
  known: readonly Reconciled[],
  strategies: readonly Strategy[],
  observation: Observation,
  now: Millis,
): AdoptedOrder {
  let reconciled = known;
  let orphan: string | null = null;
  let stranger: string | null = null;
  const waiting = new Map(observation.unlooked);
  const found = observation.found.flatMap((venueOrder) => {
    const row = adopted(venueOrder, strategies, now);
    if (!row && isOpen(venueOrder)) stranger = venueOrder.clientId ?? venueOrder.id;
    return row ? [{ venueOrder, row }] : [];
  });
  for (const { venueOrder, row } of found.sort((a, b) => serialOf(a.row) - serialOf(b.row))) {
    const one = reconcileFound(row, venueOrder, observation, now);
    // The next pass queries trades that this pass has not looked for.
    const isWhole = one.order.gap === ZERO || wouldBeObserved(one.order, observation);
    const isNext = venueOrder.at <= knownUntil(observation, row.symbol);
    const after =
      isWhole && isNext ? withAdopted(reconciled, one, { at: venueOrder.at, observation }) : undefined;
    if (after) reconciled = after;
    else {
      waiting.set(row.symbol, Math.min(venueOrder.at, waiting.get(row.symbol) ?? venueOrder.at));
      if (isOpen(venueOrder)) orphan = row.clientId;
    }
  }
  return { reconciled, orphan, stranger, waiting };
}

/** Returns the time until which every trade and its order are known: no trade of an earlier order of a slot can follow. */
function knownUntil({ markets, unlooked }: Observation, symbol: Pair): Millis {
  const { tradesRead = false, reading } = markets.get(symbol) ?? {};
  const read = tradesRead ? Number.POSITIVE_INFINITY : (reading?.from ?? Number.NEGATIVE_INFINITY);
  return Math.min(read, unlooked.get(symbol) ?? Number.POSITIVE_INFINITY);
}

const isOpen = ({ status }: VenueOrder): boolean => status === "open" || status === "partially_filled";

/**
 * Adds an order; returns undefined while another order of its slot is in the way. A later order of a slot proves that
 * the earlier one ended and was booked from its own sums, if its trades are no longer visible.
 */
function withAdopted(
  orders: readonly Reconciled[],
  reconciled: Reconciled,
  { at, observation }: { at: Millis; observation: Observation },
): readonly Reconciled[] | undefined {
  const isBefore = ({ order }: Reconciled) =>
    isSameSlot(order, reconciled.order) && serialOf(order) < serialOf(reconciled.order);
  const after = orders.map((other) =>
    isBefore(other) && isFinal(other.order) && isRequestedInVain(other, observation)
      ? settledFromSums(other, at)
      : other,
  );
  const isBlocked = after.some(
    ({ order }) =>
      !order.settled &&
      isSameSlot(order, reconciled.order) &&
      (!reconciled.order.settled || serialOf(order) < serialOf(reconciled.order)),
  );
  return isBlocked ? undefined : [...after, reconciled];
}

/**
 * Returns whether an order was known to lack trades before this pass, and the pass queried them without success. Only
 * then can trades older than the cursor be distinguished from booked ones.
 */
const isRequestedInVain = ({ before, order }: Reconciled, observation: Observation): boolean =>
  before.filled > before.booked && areTradesRequested(order, observation);

const isSameSlot = (a: Order, b: Order): boolean =>
  a.strategy === b.strategy && a.generation === b.generation && a.slot === b.slot;

/** Finds orders that were given up but are open after all, which means that a timing limit was exceeded. */
export function reopenedOrders({ late, markets }: Observation): Order[] {
  if (late.length === 0) return [];
  const open = new Set([...markets.values()].flatMap((observed) => observed.open.map(({ id }) => id)));
  return late.filter(
    (order) => order.strategy !== null && isFinal(order) && open.has(order.exchangeId ?? ""),
  );
}
