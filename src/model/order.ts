import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey } from "./account.ts";
import type { Side } from "./market.ts";

export const ORDER_TYPES = ["limit", "market"] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

/**
 * `gtc` stays open until canceled. `ioc` fills what it can at once, and cancels the rest. `post_only` is refused if
 * it would be a taker order.
 */
export type TimeInForce = "gtc" | "ioc" | "post_only";

export const ORDER_STATUSES = [
  "open",
  "partially_filled",
  "filled",
  "canceled",
  "expired",
  "rejected",
  "unknown",
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export interface Fee {
  readonly asset: string;
  readonly amount: Decimal;
}

export interface NewOrder {
  readonly clientId: string;
  readonly symbol: Pair;
  readonly side: Side;
  readonly type: OrderType;
  /** Limit price; ignored for a market order. */
  readonly price: Decimal;
  readonly amount: Decimal;
  /** Default: `gtc`. */
  readonly timeInForce?: TimeInForce;
}

/** What an order buys or sells; of an order in a book, the open amount. */
export type OrderTerms = Pick<NewOrder, "side" | "price" | "amount">;

/**
 * `pending` is written before the order is sent. `submitted`: the exchange accepted it, but does not show it yet.
 * `unknown`: there was no clear response. filled, canceled, expired and rejected are final.
 */
export type OrderState = "pending" | "submitted" | OrderStatus;

/** Order of a slot, of an exit that sells a strategy's base, or manual. */
export type OrderKind = "slot" | "exit" | "hand";

/** One intent and its result: at most one order on the exchange, ever. */
export interface Order extends Required<NewOrder> {
  readonly account: AccountKey;
  readonly strategy: string | null;
  readonly kind: OrderKind;
  readonly generation: number;
  readonly slot: number;
  readonly state: OrderState;
  readonly exchangeId: string | null;
  /** Filled amount that the exchange reports; never decreases. */
  readonly filled: Decimal;
  /** Sums of the booked fills. */
  readonly booked: Decimal;
  readonly bookedNotional: Decimal;
  readonly bookedFees: Readonly<Record<string, Decimal>>;
  /** Part of the booked amount that was taken from the order itself, because its trades have not arrived. */
  readonly gap: Decimal;
  /** Quote exchanged and fees so far, as the exchange reports them. */
  readonly notional: Decimal | null;
  readonly fees: readonly Fee[] | null;
  readonly reason: string | null;
  /** Protocol time after which no request is sent. */
  readonly sendBy: Millis;
  /** Protocol time after which no request takes effect. */
  readonly notAfter: Millis;
  readonly misses: number;
  readonly missedAt: Millis | null;
  /** Protocol time at which it became final. */
  readonly endedAt: Millis | null;
  /** Protocol time since which trades are missing: more is filled than booked. */
  readonly behindSince: Millis | null;
  /** Market time. */
  readonly createdAt: Millis;
  /** Whether the order is final and all its fills are booked. Its slot can then place another one. */
  readonly settled: boolean;
  /** Actor of a manual order; null for an order of a strategy. */
  readonly actor: string | null;
}

/** An order that a strategy plans, before it has its client id. */
export type Draft = Omit<Order, "clientId">;

/** Returns the part of an order that is sent to the exchange. */
export const needed = ({ clientId, symbol, side, type, price, amount, timeInForce }: Order): NewOrder => ({
  clientId,
  symbol,
  side,
  type,
  price,
  amount,
  timeInForce,
});

/** Initial values of every order. */
export const NEW_ORDER = {
  state: "pending",
  exchangeId: null,
  filled: 0n,
  booked: 0n,
  bookedNotional: 0n,
  bookedFees: {},
  gap: 0n,
  notional: null,
  fees: null,
  reason: null,
  misses: 0,
  missedAt: null,
  endedAt: null,
  behindSince: null,
  settled: false,
  actor: null,
} as const;
