import type { NewOrder } from "../../src/model/order.ts";

/** One market of an exchange as a value: what it has taken, executed and holds. Prices and amounts are Decimal. */
export interface Exchange {
  /** All that it ever took, oldest first. */
  readonly orders: readonly Placed[];
  readonly executions: readonly Executed[];
  readonly base: bigint;
  readonly quote: bigint;
  readonly mid: bigint;
}

export interface Placed {
  readonly id: string;
  readonly clientId: string;
  readonly side: "buy" | "sell";
  readonly price: bigint;
  readonly amount: bigint;
  readonly filled: bigint;
  readonly status: "open" | "partially_filled" | "filled" | "canceled";
  readonly at: number;
}

export interface Executed {
  readonly id: string;
  readonly orderId: string;
  readonly side: "buy" | "sell";
  readonly price: bigint;
  readonly amount: bigint;
  readonly notional: bigint;
  /** In quote. */
  readonly fee: bigint;
  readonly at: number;
  /** From when on it is among the trades; what its order tells of it, it tells at once. */
  readonly shownAt: number;
}

/** How much of an order executes at once; `late` is all of it, and its trade shows long after. */
export type Part = "whole" | "half" | "late";

const ONE = 10n ** 18n;
export const TICK = ONE / 100n;
export const LOT = ONE / 1000n;
/** 0.1 %. */
export const RATE = ONE / 1000n;

const times = (a: bigint, b: bigint): bigint => (a * b) / ONE;

export const isResting = ({ status }: Placed): boolean => status === "open" || status === "partially_filled";

export const quoteOf = ({ mid }: Exchange) => ({ bid: mid - TICK, ask: mid + TICK });

/** Takes an order, which rests; or says why not. */
export function place(
  exchange: Exchange,
  { clientId, side, price, amount }: NewOrder,
  at: number,
): Exchange | "would take" | "insufficient funds" {
  const { bid, ask } = quoteOf(exchange);
  if (side === "buy" ? price >= ask : price <= bid) return "would take";
  const open = exchange.orders.filter((order) => isResting(order) && order.side === side);
  const reserved = open.reduce((sum, order) => sum + needOf(order), 0n);
  const placed: Placed = {
    id: `x${exchange.orders.length + 1}`,
    clientId,
    side,
    price,
    amount,
    filled: 0n,
    status: "open",
    at,
  };
  if (reserved + needOf(placed) > (side === "buy" ? exchange.quote : exchange.base))
    return "insufficient funds";
  return { ...exchange, orders: [...exchange.orders, placed] };
}

const needOf = ({ side, price, amount, filled }: Placed): bigint => {
  const rest = amount - filled;
  return side === "sell" ? rest : times(times(price, rest), ONE + RATE);
};

/** Undefined where it knows no such open order. */
export function cancel(exchange: Exchange, id: string): Exchange | undefined {
  const found = exchange.orders.find((order) => order.id === id && isResting(order));
  return found && withOrder(exchange, { ...found, status: "canceled" });
}

const withOrder = (exchange: Exchange, order: Placed): Exchange => ({
  ...exchange,
  orders: exchange.orders.map((one) => (one.id === order.id ? order : one)),
});

/** The order of a side that the market reaches first. */
export function first(exchange: Exchange, side: "buy" | "sell"): Placed | undefined {
  const resting = exchange.orders.filter((order) => order.side === side && isResting(order));
  return resting.reduce<Placed | undefined>(
    (best, order) =>
      best && (side === "buy" ? best.price >= order.price : best.price <= order.price) ? best : order,
    undefined,
  );
}

/** The market comes to an order's price, which executes wholly or in part. */
export function execute(
  exchange: Exchange,
  order: Placed,
  part: Part,
  { now: at, delay }: { readonly now: number; readonly delay: number },
): Exchange {
  const rest = order.amount - order.filled;
  const half = (rest / 2n / LOT) * LOT;
  const amount = part === "half" && half > 0n ? half : rest;
  const notional = times(order.price, amount);
  const fee = times(notional, RATE);
  const filled = order.filled + amount;
  const executed: Executed = {
    id: `f${exchange.executions.length + 1}`,
    orderId: order.id,
    side: order.side,
    price: order.price,
    amount,
    notional,
    fee,
    at,
    shownAt: part === "late" ? at + delay : at,
  };
  const sign = order.side === "buy" ? 1n : -1n;
  const next = withOrder(exchange, {
    ...order,
    filled,
    status: filled === order.amount ? "filled" : "partially_filled",
  });
  return {
    ...next,
    executions: [...exchange.executions, executed],
    base: exchange.base + sign * amount,
    quote: exchange.quote - sign * notional - fee,
    mid: order.price,
  };
}
