import { max, ZERO } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { ageOf, HOUR, MINUTE, type Millis, SECOND, timeInPast } from "../../kernel/time.ts";
import type { FillCursor, Order, OrderState, Span } from "../../model/order.ts";
import type { Snapshot } from "../../ports/stores/pass-store.ts";
import type { FillsOfSpan, Timing, VenueOrder } from "../../ports/venue.ts";

/** Position of reading one pair's executions within a pass, in market time. */
export interface FillReading {
  /** Everything before it was read, as far as possible. */
  readonly from: Millis;
  /** A span after the unread part that needs no query: already read, or a time without own activity. */
  readonly ahead: Span | null;
  /** Exchange time of the first query; undefined before it. */
  readonly until: Millis | undefined;
  /** Width of the next query, after a response that left out the oldest trades of its span. */
  readonly width?: Millis;
  /** What such a response covered, nearer than the span ahead. A pass that ends here stores it, and the next continues there. */
  readonly nearer?: Span;
}

/** How long after a pair's last order ended its trades can still appear. */
const TRADES_TAIL: Millis = HOUR;

/**
 * Starts where the last pass ended, minus the overlap, but not before the first order with possibly unread fills;
 * undefined if there is none.
 */
export function startReading(snapshot: Snapshot, symbol: Pair, overlap: Millis): FillReading | undefined {
  const first = firstOfOurs(snapshot, symbol) - overlap;
  if (!Number.isFinite(first)) return undefined;
  const cursor = snapshot.cursors[symbol];
  if (!cursor) return { from: first, ahead: null, until: undefined };
  const quiet = { from: cursor.at + TRADES_TAIL, to: first };
  const skips = quiet.to > quiet.from && (cursor.ahead === null || cursor.ahead.to <= quiet.to);
  // An unread part continues from where the last pass stopped.
  const from = cursor.ahead && !skips ? cursor.at : cursor.at - overlap;
  // A span that begins at the cursor only marks that the last pass was behind.
  const known = cursor.ahead && cursor.ahead.from !== cursor.at ? cursor.ahead : null;
  return { from, ahead: skips ? quiet : known, until: undefined };
}

/**
 * Returns the time since which the snapshot lists booked trades. Older trades of our orders are booked as well; a
 * response can contain them if the exchange uses whole seconds.
 */
export function bookedSince({ orders, cursors }: Snapshot, symbol: Pair, overlap: Millis): Millis {
  const cursor = cursors[symbol];
  if (!cursor) return Number.NEGATIVE_INFINITY;
  const lacking = orders.filter((order) => order.symbol === symbol && order.filled !== order.booked);
  return Math.min(cursor.at, ...lacking.map(({ createdAt }) => createdAt)) - overlap;
}

/**
 * Returns when the first order or strategy with possibly unread fills began. A time that a clock ahead wrote counts
 * as within the tail.
 */
function firstOfOurs({ orders, strategies, lease: { now } }: Snapshot, symbol: Pair): Millis {
  const mine = orders.filter((order) => order.symbol === symbol && order.strategy !== null);
  const same = strategies.filter((strategy) => strategy.symbol === symbol);
  const times = [...mine.map(({ createdAt }) => createdAt), ...same.map(({ startedAt }) => startedAt)];
  return Math.min(...times.map((at) => timeInPast(at, now) ?? now - TRADES_TAIL));
}

/** Returns the next span to query; undefined when everything up to the first query's exchange time was read. */
export function nextSpan({ from, ahead, until, width = Number.POSITIVE_INFINITY }: FillReading) {
  if (ahead) return { from, to: Math.min(ahead.from, from + width) };
  return until === undefined || from < until ? { from } : undefined;
}

/**
 * Returns the position after a response. If the exchange left out the oldest trades, the next query covers them; if
 * it does so again, shorter spans from the oldest on, so each pass makes progress.
 */
export function withAnswer(
  reading: FillReading,
  { covered: span, now }: Pick<FillsOfSpan, "covered" | "now">,
): FillReading {
  const until = reading.until ?? now;
  if (span.from > reading.from) {
    // The first such response usually omits less than one more response contains.
    const width = reading.ahead ? { width: Math.max(SECOND, Math.floor((span.to - span.from) / 2)) } : {};
    const isNearest = !reading.ahead || span.to >= reading.ahead.from;
    // A span that cannot be shortened is read from its end: what was read beyond it is read again.
    const isLeast = span.to - reading.from <= SECOND;
    const to = isNearest && reading.ahead ? reading.ahead.to : span.to;
    if (isNearest || isLeast) return { from: reading.from, until, ahead: { from: span.from, to }, ...width };
    return { ...reading, until, nearer: span, ...width };
  }
  const from = Math.max(reading.from, span.to);
  const { ahead, width } = reading;
  if (ahead && from >= ahead.from) return { from: Math.max(from, ahead.to), ahead: null, until };
  return { from, ahead, until, ...(width === undefined ? {} : { width: 2 * width }) };
}

/**
 * Returns the market time since which trades can be missing: late trades are awaited for a limited time after their
 * order was first seen to lack them.
 */
export function missingSince(orders: readonly Order[], now: Millis, until: Millis): Millis {
  const waits = orders.flatMap(({ behindSince }) =>
    behindSince !== null && ageOf(behindSince, now) < TRADES_WAIT ? [now - behindSince] : [],
  );
  return until - Math.max(Number.NEGATIVE_INFINITY, ...waits.map((waited) => waited + TRADES_WAIT));
}

/** Minimum movement of a cursor that justifies a separate write. */
const WORTH: Millis = 5 * MINUTE;

/**
 * Returns the cursor after a pass: not so recent that a trade can still appear before it, and not after `most`, from
 * where trades are awaited. Undefined if no write is needed.
 */
export function cursorAfter(
  before: FillCursor | undefined,
  { from, until, ...reading }: FillReading,
  { readLag, overlap }: Pick<Timing, "readLag" | "overlap">,
  most: Millis,
): FillCursor | undefined {
  if (until === undefined) return undefined;
  const ahead = reading.nearer ?? reading.ahead;
  const reached = Math.min(from, until - readLag, most);
  const isBehind = from < until;
  // If the overlap alone exceeds what a pass can read, the next pass continues within it, at the mark ahead.
  const at = before && !isBehind ? Math.max(before.at, reached) : reached;
  const end = Math.min(ahead?.to ?? 0, until - readLag - overlap, most);
  const mark = ahead ?? (isBehind ? { from: at, to: at } : null);
  const next = { at, ahead: mark && { from: mark.from, to: Math.max(mark.from, end) } };
  // An incomplete read continues from here.
  const worth = isBehind ? 1 : WORTH;
  const isWorth = !before || Math.abs(at - before.at) >= worth || next.ahead?.from !== before.ahead?.from;
  return isWorth ? next : undefined;
}

const FINAL: ReadonlySet<OrderState> = new Set(["filled", "canceled", "expired", "rejected"]);
export const isFinal = ({ state }: Pick<Order, "state">): boolean => FINAL.has(state);

/** Observation of one order in a pass, in the open list or by a lookup; `missing` is a lookup that found nothing. */
export type OrderReport = VenueOrder | "missing";

/** Updates an order from the exchange. Its filled amount never decreases, and a final state never changes. */
export function withReport(order: Order, venueOrder: VenueOrder, now: Millis): Order {
  const filled = max(order.filled, venueOrder.filled);
  const state = isFinal(order) ? order.state : stateFrom(order, venueOrder, filled > ZERO);
  // Sums belong to the amount that they were reported with; for another amount they are unknown.
  const known = filled > order.filled ? null : order;
  const fresh = venueOrder.filled === filled ? venueOrder : undefined;
  const next = {
    state,
    exchangeId: order.exchangeId ?? venueOrder.id,
    filled,
    notional: known?.notional ?? fresh?.notional ?? null,
    fees: known?.fees ?? fresh?.fees ?? null,
    misses: 0,
    missedAt: null,
    endedAt: order.endedAt ?? (FINAL.has(state) ? now : null),
  };
  return sameLife(order, next) ? order : { ...order, ...next };
}

function stateFrom(order: Order, { status }: VenueOrder, partly: boolean): OrderState {
  if (status === "unknown") return order.state;
  if (status === "open" || status === "partially_filled") return partly ? "partially_filled" : "open";
  return status;
}

type Life = Pick<Order, "state" | "exchangeId" | "filled" | "notional" | "fees" | "misses" | "endedAt">;

const sameLife = (a: Life, b: Life): boolean =>
  a.state === b.state &&
  a.exchangeId === b.exchangeId &&
  a.filled === b.filled &&
  a.notional === b.notional &&
  a.fees === b.fees &&
  a.misses === b.misses &&
  a.endedAt === b.endedAt;

/**
 * Updates an order after a lookup found nothing. It ends only when no request can take effect any more, the exchange
 * had time to show it, and a second lookup finds nothing either.
 */
export function missed(order: Order, now: Millis, timing: Timing): Order {
  const { readLag, secondMiss } = timing;
  const longest = longestOf(timing);
  // Written while the clock was ahead: its requests are over after the maximum time that they can take.
  const isBeyond = order.notAfter > now + longest;
  if (now < order.notAfter + readLag && !isBeyond) return order;
  const missedAt = timeInPast(order.missedAt, now);
  if (missedAt === undefined) return { ...order, misses: 1, missedAt: now };
  if (now - missedAt < (isBeyond ? longest + readLag : secondMiss)) return order;
  const known = order.exchangeId !== null;
  return {
    ...order,
    misses: order.misses + 1,
    state: known ? "canceled" : "rejected",
    reason: known ? "the exchange no longer lists it" : notShown(order),
    endedAt: now,
  };
}

/** Lookups of an order before a miss counts, as shares of the time that it takes to be certain, before its end. */
const EARLY_LOOKUPS = [0.9, 0.85, 0.7, 0.5] as const;

/**
 * Returns whether to look up an order that is not in the open list. One that the exchange never confirmed is looked up
 * a few times while it can still appear, and for each miss that counts: if it was filled, its trades show it sooner.
 * `readAt` is when the last pass read the trades of its market.
 */
export function isLookupDue(
  order: Order,
  { now, readAt }: { readonly now: Millis; readonly readAt: Millis | undefined },
  timing: Timing,
): boolean {
  if (order.exchangeId !== null || readAt === undefined || timing.readLag === 0) return true;
  if (missed(order, now, timing) !== order) return true;
  const end = order.notAfter + timing.readLag;
  const times = EARLY_LOOKUPS.map((share) => end - share * (longestOf(timing) + timing.readLag));
  return times.some((at) => readAt < at && at <= now);
}

/** Returns the maximum time until no request of an order can take effect. */
const longestOf = ({ leaseTtl, requestTimeout, expiry, skew }: Timing): Millis =>
  leaseTtl + requestTimeout + expiry + skew;

/** How long an exchange's confirmation of an order outweighs reads that do not show it. */
const TRUSTED: Millis = 10 * MINUTE;

/**
 * Returns whether the exchange accepted an order but never showed it in time. Its reads are then too old, and their
 * omissions prove nothing.
 */
export const isContradicted = (
  { state, exchangeId, notAfter }: Order,
  report: OrderReport | undefined,
  now: Millis,
  { readLag }: Pick<Timing, "readLag">,
): boolean => {
  const late = now - notAfter - readLag;
  return state === "submitted" && exchangeId !== null && report === "missing" && late >= 0 && late < TRUSTED;
};

// It is unknown whether it arrived; the response to its request can show a person why.
const notShown = ({ reason }: Order): string =>
  reason === null ? "the exchange shows no such order" : `${reason}; the exchange shows no such order`;

/** How long an order's trades can be missing before the gap is booked from the order itself. */
export const TRADES_WAIT: Millis = 10 * MINUTE;

/** Returns whether the order is final and all its fills are booked, so its slot can act again. */
export const addsUp = (order: Order): boolean => isFinal(order) && order.booked >= order.filled;

type FindListed = (order: Pick<Order, "exchangeId" | "clientId">) => VenueOrder | undefined;

const findersOfLists = new WeakMap<readonly VenueOrder[], FindListed>();

/**
 * Finds orders by their ids in an open list that does not change; searching it for each order would take quadratic time.
 * The list is indexed once: a pass searches it several times.
 */
export function listedIn(open: readonly VenueOrder[]): FindListed {
  const find = findersOfLists.get(open) ?? indexed(open);
  findersOfLists.set(open, find);
  return find;
}

function indexed(open: readonly VenueOrder[]): FindListed {
  const byId = new Map<string, VenueOrder>();
  const byClientId = new Map<string, VenueOrder>();
  for (const order of open) {
    byId.set(order.id, order);
    if (order.clientId !== undefined) byClientId.set(order.clientId, order);
  }
  return ({ exchangeId, clientId }) =>
    (exchangeId === null ? undefined : byId.get(exchangeId)) ?? byClientId.get(clientId);
}
