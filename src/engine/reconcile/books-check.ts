import { type Decimal, text, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { type Millis, timeInPast } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import type { AccountMemory } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import type { Refusal, Strategy, StrategyState, Unexplained, UnreadTrade } from "../../model/strategy.ts";
import type { Kind } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/pass-store.ts";
import type { UnreadableFill } from "../../ports/venue.ts";
import { TRADES_WAIT } from "./order-fills.ts";
import type { Observation, Reconciled } from "./reconcile.ts";

/** Returns the difference per asset between the kind's books and its fills; empty if they agree. */
export function unexplainedAssets(
  kind: Pick<Kind, "movedByBooks">,
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
  // An order that can be booked from its own notional is booked by the first pass that has time to look for its trades once
  // more.
  const isBookable = live.some(
    (order) => order.clientId === found.order && order.behindSince !== null && order.notional !== null,
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

/** Reports each fee that is an estimate, because the exchange's own cannot be read. */
export const estimatedFeeEvents = (
  { account, now: at }: Snapshot["lease"],
  reconciled: readonly Reconciled[],
): readonly Event[] =>
  reconciled
    .flatMap(({ fills }) => fills)
    .flatMap(({ clientId, strategy, fees }) =>
      fees
        .filter(({ isEstimated, value }) => isEstimated && value === undefined)
        .map(({ asset, amount }) => {
          const message = `${clientId}: its fee cannot be read; ${text(amount)} ${asset} is booked, estimated from the fee rate`;
          return { account, strategy, at, kind: "unreadable", message };
        }),
    );

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

/** Reports each row and each balance once, a row with its order; ignores rows of others' orders. */
export function nameUnreadable(
  { lease, memory }: Snapshot,
  { markets, balances }: Observation,
  orders: readonly Order[],
): { readonly events: readonly Event[]; readonly unreadable: AccountMemory["unreadable"] } {
  const known = memory.unreadable ?? [];
  const events: Event[] = [];
  const named: string[] = [];
  for (const { asset, reason } of balances?.unreadable ?? []) {
    const name = `balance of ${asset}`;
    if (known.includes(name)) continue;
    named.push(name);
    const message = `${reason}; orders that need ${asset} wait, all others do not`;
    events.push({ account: lease.account, strategy: null, at: lease.now, kind: "unreadable", message });
  }
  for (const [symbol, observed] of markets) {
    for (const { id, clientId, reason } of observed.unreadableOrders ?? []) {
      const name = `order ${clientId ?? id ?? "without an id"}`;
      if (known.includes(name) || named.includes(name)) continue;
      named.push(name);
      const order = orders.find((one) => one.clientId === clientId || (id !== null && one.exchangeId === id));
      const message = `${name} on ${symbol}: ${reason}; it is looked up until it can be read`;
      const strategy = order?.strategy ?? null;
      events.push({ account: lease.account, strategy, at: lease.now, kind: "unreadable", message });
    }
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
