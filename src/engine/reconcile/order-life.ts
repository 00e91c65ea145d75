import { max, ZERO } from "../../kernel/decimal.ts";
import { MINUTE, type Millis, timeInPast } from "../../kernel/time.ts";
import type { Order, OrderState } from "../../model/order.ts";
import type { Timing, VenueOrder } from "../../ports/venue.ts";

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
