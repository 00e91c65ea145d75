import { max, text, ZERO } from "../../kernel/decimal.ts";
import { parseClientOrderId } from "../../kernel/ids.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import { isNearWorth, MAX_IMPROVEMENT, type Order } from "../../model/order.ts";
import type { Snapshot } from "../../ports/stores/pass-store.ts";
import type { FillsRead, Venue, VenueFill, VenueOrder } from "../../ports/venue.ts";
import {
  bookedSince,
  nextSpan,
  type OrderReport,
  startReading,
  withAnswer,
} from "../reconcile/order-fills.ts";
import { isWaitedOut, type MarketSnapshot } from "../reconcile/reconcile.ts";
import { type Budget, callWithinBudget } from "./budget.ts";

/** Executions of one pair that a pass has read. */
interface FillSnapshot extends Pick<MarketSnapshot, "trades" | "unreadable" | "reading"> {
  /** Whether more is left to read than this pass had calls for. */
  readonly short: boolean;
}

/** Result if nothing has changed, so no call is needed. */
export const NOTHING_READ: FillSnapshot = { trades: [], unreadable: [], reading: undefined, short: false };

/** Maximum number of queries per pass and pair; the next pass continues. */
const MAX_FILL_QUERIES = 8;
/** Maximum number of orders per pass and pair that are queried individually, in turn. */
const MAX_ORDER_QUERIES = 3;

/** Reads own executions from where the last pass ended. */
export async function readFills(
  venue: Venue,
  snapshot: Snapshot,
  symbol: Pair,
  budget: Budget,
): Promise<FillSnapshot> {
  const read: FillsRead[] = [];
  let reading = startReading(snapshot, symbol, venue.timing.overlap);
  // The rest of the pass needs calls too: lookups, cancels, creates.
  const most = Math.max(1, Math.min(MAX_FILL_QUERIES, Math.floor(budget.left / 2)));
  let span = reading && nextSpan(reading);
  while (reading && span && read.length < most) {
    const request = span;
    const result = await callWithinBudget(budget, () => venue.fills(symbol, request));
    if (!result) break;
    const { answer } = result;
    read.push(answer);
    reading = withAnswer(reading, answer);
    span = nextSpan(reading);
  }
  const known = { since: bookedSince(snapshot, symbol, venue.timing.overlap), found: [] };
  return { ...unbooked(snapshot, symbol, read, known), reading, short: span !== undefined };
}

/** Orders of one pair after all lookups. */
interface MarketOrders {
  readonly observed: MarketSnapshot & { readonly short: boolean };
  readonly reports: ReadonlyMap<string, OrderReport>;
  /** Orders without a row that only the exchange knew; all their fills are booked at once, or none. */
  readonly found: readonly VenueOrder[];
}

/** Queries single orders that lack trades: those that should be visible by now, or whose pair was not read to the end. */
export async function readLacking(
  venue: Venue,
  snapshot: Snapshot,
  symbol: Pair,
  looked: MarketOrders,
  budget: Budget,
): Promise<MarketSnapshot> {
  const { observed } = looked;
  const due = budget.left > 0 ? lackingOrders(snapshot, symbol, looked, venue.timing.readLag) : [];
  if (due.length === 0) return observed;
  const requests = due.slice(0, budget.left);
  const ids = requests.map(({ id }) => id);
  const since = Math.min(...requests.map(({ at }) => at)) - venue.timing.overlap;
  const result = await callWithinBudget(budget, () => venue.fillsOf(symbol, ids, since));
  if (!result) return observed;
  const read = [{ fills: observed.trades, unreadable: observed.unreadable }, result.answer];
  const known = { since: bookedSince(snapshot, symbol, venue.timing.overlap), found: looked.found };
  return { ...observed, requestedOrders: new Set(ids), ...unbooked(snapshot, symbol, read, known) };
}

type Lacking = Pick<VenueOrder, "id" | "at" | "clientId">;

/** Returns the slot of an order from its client id. */
function slotOf({ clientId = "" }: Pick<Lacking, "clientId">): string {
  const { tag, generation, slot } = parseClientOrderId(clientId) ?? {};
  return `${tag} ${generation} ${slot}`;
}

function lackingOrders(
  { orders, lease: { now, token } }: Snapshot,
  symbol: Pair,
  { observed, reports, found }: MarketOrders,
  readLag: Millis,
): readonly Lacking[] {
  const tradedOf = (id: string) =>
    observed.trades.reduce((sum, { orderId, amount }) => (orderId === id ? sum + amount : sum), ZERO);
  const isWhole = !observed.short && found.length === 0;
  // Earlier orders of a slot are booked together with its adopted order, so they are queried with it.
  const slots = new Set(found.map(slotOf));
  const lacking = orders.flatMap((order): Lacking[] => {
    if (order.symbol !== symbol || order.strategy === null) return [];
    const result = reports.get(order.clientId);
    const report = typeof result === "object" ? result : undefined;
    const id = order.exchangeId ?? report?.id;
    const lacks = max(order.filled, report?.filled ?? ZERO) > order.booked + tradedOf(id ?? "");
    const isLate =
      order.behindSince !== null &&
      now - order.behindSince >= readLag &&
      (observed.tradesRead || !isWaitedOut(order, now));
    if (id === undefined || !lacks || !(isLate || isWhole || slots.has(slotOf(order)))) return [];
    return [{ id, at: order.createdAt, clientId: order.clientId }];
  });
  const strangers = found.filter(({ id, filled }) => filled > tradedOf(id));
  const ofSlots = [...slots].flatMap((slot) =>
    [...lacking, ...strangers].filter((lacking) => slotOf(lacking) === slot),
  );
  const others = lacking.filter((lacking) => !slots.has(slotOf(lacking)));
  if (ofSlots.length > 0) return strangers.length > 0 ? [...ofSlots, ...others] : ofSlots;
  // The lease's number, which each pass increases; with the time, passes at an interval could always query the same
  // orders.
  const first = others.length > MAX_ORDER_QUERIES ? token % others.length : 0;
  return [...others.slice(first), ...others.slice(0, first)].slice(0, MAX_ORDER_QUERIES);
}

/** What was read that can be compared with booked fills; fills of an order without a row are not booked. */
interface FillsKnown {
  readonly since: Millis;
  readonly found: readonly VenueOrder[];
}

/**
 * Returns why an execution cannot be true: the limit of its order forbids its price, or is far from it, or it is more
 * than the order.
 */
function fillProblem(
  { orderId, price, amount }: VenueFill,
  orders: ReadonlyMap<string | null, Order>,
): string | undefined {
  const order = orders.get(orderId);
  if (order?.type !== "limit") return undefined;
  if (order.side === "buy" ? price > order.price : price < order.price)
    return `its price ${text(price)} is beyond the order's limit ${text(order.price)}`;
  if (!isNearWorth(price, order.price, MAX_IMPROVEMENT))
    return `its price ${text(price)} is too far from the order's limit ${text(order.price)}`;
  return amount > order.amount
    ? `its amount ${text(amount)} is more than the order's ${text(order.amount)}`
    : undefined;
}

/** Returns each execution once; a row that is unreadable in one response can be readable in another. */
function unbooked(
  { booked, orders }: Snapshot,
  symbol: Pair,
  read: readonly FillsRead[],
  { since, found }: FillsKnown,
): Pick<MarketSnapshot, "trades" | "unreadable"> {
  const known = new Map(orders.map((order) => [order.exchangeId, order]));
  const all = read.flatMap((fillsRead) =>
    fillsRead.fills.map((fill) => ({ fill, problem: fillProblem(fill, known) })),
  );
  const fills = new Map(all.flatMap(({ fill, problem }) => (problem ? [] : [[fill.id, fill] as const])));
  const impossible = all.flatMap(({ fill, problem: reason }) => (reason ? [{ ...fill, reason }] : []));
  const rows = [...read.flatMap(({ unreadable }) => unreadable), ...impossible].filter(
    ({ id }) => !fills.has(id ?? ""),
  );
  const isNew = ({ id, orderId, at }: VenueFill) =>
    !booked[symbol]?.has(id) && (at >= since || found.some((order) => order.id === orderId));
  return {
    trades: [...fills.values()].filter(isNew).sort((a, b) => a.at - b.at),
    unreadable: rows.filter((row, index) => rows.findIndex(({ id }) => id === row.id) === index),
  };
}
