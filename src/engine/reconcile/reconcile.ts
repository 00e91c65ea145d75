import { type Decimal, div, max, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { type Millis, timeInPast } from "../../kernel/time.ts";
import type { Balances } from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import type { Confidence } from "../../model/memory.ts";
import { type Fee, type Fill, INFERRED, type Order } from "../../model/order.ts";
import type { PriceSnapshot } from "../../ports/kind.ts";
import type { Timing, UnreadableFill, UnreadableOrder, VenueFill, VenueOrder } from "../../ports/venue.ts";
import { estimatedFees } from "./fee-values.ts";
import {
  addsUp,
  type FillReading,
  isFinal,
  missed,
  type OrderReport,
  TRADES_WAIT,
  withReport,
} from "./order-fills.ts";

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

/** Orders that one step reconciles. */
const ORDERS_PER_STEP = 10;

/** Updates the orders of observed markets, and late ones, in short steps between which other work can run. */
export function* reconcileObserved(
  orders: readonly Order[],
  observation: Observation,
  now: Millis,
): Generator<undefined, readonly Reconciled[], unknown> {
  const all: Reconciled[] = [];
  for (const [index, order] of orders.entries()) {
    if (index % ORDERS_PER_STEP === 0) yield;
    if (observation.markets.has(order.symbol)) all.push(reconcile(order, observation, now));
  }
  // An order that a stop left open belongs to the user: its trades are no longer the strategy's.
  return [...all, ...observation.late.filter(isFinal).map((order) => reconcileLate(order, observation))];
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
  const { quote, market } = observation.markets.get(order.symbol) ?? {};
  const gap =
    gapIsDue(order, now) && areTradesRequested(order, observation)
      ? gapFill(order, quote?.at ?? order.createdAt, market)
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

const isBeyond = ({ type, booked, amount }: Order, trade: VenueFill): boolean =>
  type === "limit" && booked + trade.amount > amount;

const tradesOf = ({ symbol, exchangeId, strategy }: Order, { markets }: Observation): readonly VenueFill[] =>
  strategy === null
    ? []
    : (markets.get(symbol)?.trades ?? []).filter(({ orderId }) => orderId === exchangeId);

const ours = ({ account, symbol, clientId, strategy, side }: Order) => ({
  account,
  symbol,
  clientId,
  strategy,
  side,
});

/** Converts an exchange's trade to a fill. A superseded fill is stored but changes nothing. */
export const fillOf = (order: Order, trade: VenueFill, superseded = false): Fill => ({
  ...ours(order),
  tradeId: trade.id,
  price: trade.price,
  amount: trade.amount,
  notional: trade.notional,
  fees: trade.fees,
  at: trade.at,
  superseded,
});

export const addFee = (sums: Fees, { asset, amount }: Fee): Fees => ({
  ...sums,
  [asset]: (sums[asset] ?? ZERO) + amount,
});

/** Adds a fill to the order's sums. */
export const withFill = (order: Order, { amount, notional, fees }: Fill): Order => ({
  ...order,
  filled: max(order.filled, order.booked + amount),
  booked: order.booked + amount,
  bookedNotional: order.bookedNotional + notional,
  bookedFees: fees.reduce(addFee, order.bookedFees),
});

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

/** Returns the balance changes of a fill per asset; each fee is a separate change. */
export function movementsOf(
  symbol: Pair,
  { side, amount, notional, fees }: Pick<Fill, "side" | "amount" | "notional" | "fees">,
): Fee[] {
  const { base, quote } = splitPair(symbol);
  const sign = side === "buy" ? 1n : -1n;
  return [
    { asset: base, amount: sign * amount },
    { asset: quote, amount: -sign * notional },
    ...fees.map(({ asset, amount: fee }) => ({ asset, amount: -fee })),
  ];
}

type Fees = Readonly<Record<string, Decimal>>;

/** Records since when an order lacks trades. Each arriving trade or new execution restarts the wait. */
export function withBehind(order: Order, before: Order, now: Millis): Order {
  const isBehind = order.strategy !== null && order.booked < order.filled;
  const hasMoved = order.booked > before.booked || order.filled > before.filled;
  const behindSince = isBehind ? ((hasMoved ? null : timeInPast(before.behindSince, now)) ?? now) : null;
  return behindSince === order.behindSince ? order : { ...order, behindSince };
}

/** Returns whether trades have been missing so long that the gap can be booked from the order itself. */
export const gapIsDue = ({ behindSince }: Order, now: Millis): boolean =>
  behindSince !== null && now - behindSince >= TRADES_WAIT;

/** Returns whether the wait for trades has ended and the order lacks its own notional; then it is queried at intervals. */
export const isWaitedOut = (order: Order, now: Millis): boolean =>
  isFinal(order) && gapIsDue(order, now) && order.notional === null;

/**
 * Returns the gap as one fill from the order's own figures; undefined if it lacks the notional. Fees that it lacks are
 * estimated from the market's rates; undefined without a market.
 */
export function gapFill(order: Order, at: Millis, market?: Market): Fill | undefined {
  if (order.notional === null) return undefined;
  const amount = order.filled - order.booked;
  const notional = max(ZERO, order.notional - order.bookedNotional);
  const fees =
    order.fees?.map(({ asset, amount: fee }) => ({
      asset,
      amount: fee - (order.bookedFees[asset] ?? ZERO),
    })) ??
    (market && estimatedFees({ ...order, amount, notional }, market));
  if (!fees) return undefined;
  const tradeId = `${INFERRED}${order.exchangeId}:${order.filled}`;
  return {
    ...ours(order),
    tradeId,
    price: div(notional, amount, "half"),
    amount,
    notional,
    fees,
    at,
    superseded: false,
  };
}

/** Observations of one market in a pass. */
export interface MarketSnapshot extends PriceSnapshot {
  readonly tradesRead: boolean;
  /** Unbooked trades, oldest first; empty if they were not read. */
  readonly trades: readonly VenueFill[];
  /** Orders whose trades were queried individually. */
  readonly requestedOrders?: ReadonlySet<string>;
  /** Trade rows that cannot be booked as the exchange returned them. */
  readonly unreadable: readonly UnreadableFill[];
  /** Orders that this pass could not read; they are as they were. */
  readonly unreadableOrders?: readonly UnreadableOrder[];
  /** Whether this pass has read the last page of ended orders that a restored database can lack. */
  readonly searched?: boolean;
  /** Where the search for ended orders continues. */
  readonly searchPage?: string | undefined;
  /** How far trades were read; undefined if no reading was needed. */
  readonly reading: FillReading | undefined;
}

/** Returns whether this pass requested the trades of this order by its id. */
export const areTradesRequested = (
  { symbol, exchangeId }: Pick<Order, "symbol" | "exchangeId">,
  { markets }: Pick<Observation, "markets">,
): boolean => markets.get(symbol)?.requestedOrders?.has(exchangeId ?? "") === true;

/** Returns whether this pass would have observed a new order's trades if the exchange showed them. */
export const wouldBeObserved = (
  order: Pick<Order, "symbol" | "exchangeId">,
  { markets }: Pick<Observation, "markets">,
): boolean => markets.get(order.symbol)?.tradesRead === true || areTradesRequested(order, { markets });

/** Observations of an account in a pass. A market that could not be read is absent, never empty. */
export interface Observation {
  readonly markets: ReadonlyMap<Pair, MarketSnapshot>;
  /** Live orders by client id; an order that was not looked up is absent. */
  readonly reports: ReadonlyMap<string, OrderReport>;
  /** Undefined if they were not read. */
  readonly balances: Balances | undefined;
  /** Whether they were read before orders and trades. */
  readonly balancesFirst: boolean;
  /** Markets that the exchange refuses to return, and why. */
  readonly refused: ReadonlyMap<Pair, string>;
  /** Orders without a row whose id has the format of a strategy's order. */
  readonly found: readonly VenueOrder[];
  /** Markets with a trade whose order can no longer be looked up, and since when. */
  readonly unlooked: ReadonlyMap<Pair, Millis>;
  /** Orders in trades that belong to no strategy. */
  readonly foreign: readonly string[];
  /** Settled orders of ours with unexpected late trades. */
  readonly late: readonly Order[];
  /** Mid prices that give the value of new fees in third assets. */
  readonly feePrices?: ReadonlyMap<Pair, Decimal>;
  /** Price confidence by symbol, if a strategy uses it. */
  readonly confidence?: ReadonlyMap<Pair, Confidence>;
  /** An accepted order that the exchange does not show long after it should; meanwhile no order is given up. */
  readonly contradicted?: Order | undefined;
  readonly timing: Timing;
}
