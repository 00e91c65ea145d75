import { type Decimal, div, max, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { type Millis, timeInPast } from "../../kernel/time.ts";
import { type Fill, INFERRED } from "../../model/fill.ts";
import type { Fee, Order } from "../../model/order.ts";
import type { VenueFill } from "../../ports/venue.ts";
import { isFinal, TRADES_WAIT } from "./order-life.ts";

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

/** Adds a fill to the order's sums. */
export const withFill = (order: Order, { amount, notional, fees }: Fill): Order => ({
  ...order,
  filled: max(order.filled, order.booked + amount),
  booked: order.booked + amount,
  bookedNotional: order.bookedNotional + notional,
  bookedFees: fees.reduce(addFee, order.bookedFees),
});

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

export const addFee = (sums: Fees, { asset, amount }: Fee): Fees => ({
  ...sums,
  [asset]: (sums[asset] ?? ZERO) + amount,
});

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

/** Returns whether the wait for trades has ended and the order lacks its own sums; then it is queried at intervals. */
export const isWaitedOut = (order: Order, now: Millis): boolean =>
  isFinal(order) && gapIsDue(order, now) && !tellsSums(order);

/** Returns whether the missing amount can be booked from the order's own figures. */
export const tellsSums = ({ notional, fees }: Pick<Order, "notional" | "fees">): boolean =>
  notional !== null && fees !== null;

/** Returns the gap as one fill from the order's own figures; undefined if it lacks the notional or fees. */
export function gapFill(order: Order, at: Millis): Fill | undefined {
  if (order.notional === null || order.fees === null) return undefined;
  const amount = order.filled - order.booked;
  const notional = max(ZERO, order.notional - order.bookedNotional);
  const fees = order.fees.map(({ asset, amount: fee }) => ({
    asset,
    amount: fee - (order.bookedFees[asset] ?? ZERO),
  }));
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
