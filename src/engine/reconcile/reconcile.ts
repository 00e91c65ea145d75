import { max, ZERO } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Fill } from "../../model/fill.ts";
import type { Order } from "../../model/order.ts";
import type { VenueFill, VenueOrder } from "../../ports/venue.ts";
import { fillOf, gapFill, gapIsDue, withBehind, withFill } from "./fills.ts";
import { areTradesRequested, type Observation } from "./observation.ts";
import { addsUp, isFinal, missed, withReport } from "./order-life.ts";

/** One order after a pass's observations. */
export interface Reconciled {
  readonly order: Order;
  readonly before: Order;
  /** New executions, oldest first. */
  readonly fills: readonly Fill[];
  /** Whether it just became final with all fills booked. */
  readonly ended: boolean;
  /** Whether it was just given up because it never reached the exchange. */
  readonly lost: boolean;
  /** Whether it has no row yet, because only the exchange knew it. */
  readonly adopted: boolean;
}

/** Updates one unsettled order from observations; an order with missing trades waits for them. */
export function reconcile(before: Order, observation: Observation, now: Millis): Reconciled {
  const report = observation.reports.get(before.clientId);
  let order = before;
  if (report === "missing" && !observation.contradicted) order = missed(before, now, observation.timing);
  else if (report && report !== "missing") order = withReport(before, report, now);
  const lost = isFinal(order) && report === "missing";

  const { fills, ...booked } = withTrades(order, observation);
  order = withBehind(booked.order, before, now);
  // The trades of the pair, read from its cursor on, may not reach back to the order's.
  const gap =
    gapIsDue(order, now) && areTradesRequested(order, observation)
      ? gapFill(order, latest(observation, order) ?? order.createdAt)
      : undefined;
  if (gap) {
    fills.push(gap);
    order = { ...withFill(order, gap), gap: order.gap + gap.amount, behindSince: null };
  }
  // No ledger waits for the trades of a manual order.
  const ended = order.strategy === null ? isFinal(order) : addsUp(order);
  return { order: ended ? { ...order, settled: true } : order, before, fills, ended, lost, adopted: false };
}

/**
 * Converts an order that only the exchange knew. One that has ended is settled at once, from its own sums if its
 * trades are no longer visible, because its slot has moved on.
 */
export function reconcileFound(
  before: Order,
  venueOrder: VenueOrder,
  observation: Observation,
  now: Millis,
): Reconciled {
  const reports = new Map([[before.clientId, venueOrder]]);
  const reconciled = reconcile(before, { ...observation, reports }, now);
  return {
    ...(isFinal(reconciled.order) ? settledFromSums(reconciled, venueOrder.at) : reconciled),
    adopted: true,
  };
}

/** Returns a final order, booked from its own sums if its trades were not observed. */
export function settledFromSums(reconciled: Reconciled, at: Millis): Reconciled {
  const { order, fills } = reconciled;
  const gap = order.settled ? undefined : gapFill(order, at);
  if (!gap) return reconciled;
  const whole = { ...withFill(order, gap), gap: order.gap + gap.amount, behindSince: null, settled: true };
  return { ...reconciled, order: whole, fills: [...fills, gap], ended: true };
}

/** Books trades for an order that was settled long ago; trades beyond its gap are unexpected. */
export const reconcileLate = (before: Order, observation: Observation): Reconciled => ({
  ...withTrades(before, observation),
  before,
  ended: false,
  lost: false,
  adopted: false,
});

/**
 * Books an order's new trades. Trades of an amount that was booked from the order itself change nothing. Trades
 * beyond its total amount change nothing either, because they are duplicates under another id.
 */
function withTrades(before: Order, observation: Observation): { order: Order; fills: Fill[] } {
  let order = before;
  const fills: Fill[] = [];
  for (const trade of tradesOf(before, observation)) {
    const superseded = trade.amount <= order.gap || isBeyond(order, trade);
    const fill = fillOf(before, trade, superseded);
    fills.push(fill);
    order = superseded ? { ...order, gap: max(ZERO, order.gap - trade.amount) } : withFill(order, fill);
  }
  return { order, fills };
}

const isBeyond = ({ type, booked, amount }: Order, trade: VenueFill): boolean =>
  type === "limit" && booked + trade.amount > amount;

const tradesOf = ({ symbol, exchangeId, strategy }: Order, { markets }: Observation): readonly VenueFill[] =>
  strategy === null
    ? []
    : (markets.get(symbol)?.trades ?? []).filter(({ orderId }) => orderId === exchangeId);

const latest = ({ markets }: Observation, { symbol }: Order): Millis | undefined =>
  markets.get(symbol)?.quote?.at;
