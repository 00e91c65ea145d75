import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey } from "./account.ts";
import type { Side } from "./market.ts";

export type OrderType = "limit" | "market";

/** Rests until it is cancelled; takes what it meets at once and never rests; rests or is refused, and never takes. */
export type TimeInForce = "gtc" | "ioc" | "post_only";

export type OrderStatus =
  | "open"
  | "partially_filled"
  | "filled"
  | "canceled"
  | "expired"
  | "rejected"
  | "unknown";

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
  /** `gtc` where nothing is said. */
  readonly timeInForce?: TimeInForce;
}

/**
 * `pending` is written before the venue hears of it; `submitted` was accepted but not yet seen;
 * `unknown` got no clear answer. filled, canceled, expired and rejected are final.
 */
export type OrderState = "pending" | "submitted" | OrderStatus;

/** Of a slot, of an exit that sells a strategy's base, or by hand. */
export type OrderKind = "slot" | "exit" | "hand";

/** One intent and what became of it: at most one order on the venue, ever. */
export interface Order {
  readonly clientId: string;
  readonly account: AccountKey;
  readonly strategy: string | null;
  readonly kind: OrderKind;
  readonly generation: number;
  readonly slot: number;
  readonly symbol: Pair;
  readonly side: Side;
  readonly type: OrderType;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly timeInForce: TimeInForce;
  readonly state: OrderState;
  readonly exchangeId: string | null;
  /** As the venue tells it; never falls. */
  readonly filled: Decimal;
  /** Sums of its booked fills. */
  readonly booked: Decimal;
  readonly bookedNotional: Decimal;
  readonly bookedFees: Readonly<Record<string, Decimal>>;
  /** Of what is booked, the part taken from the order itself whose trades have not arrived. */
  readonly gap: Decimal;
  /** Quote exchanged and fees taken so far, as the venue tells them. */
  readonly notional: Decimal | null;
  readonly fees: readonly Fee[] | null;
  readonly reason: string | null;
  /** Protocol time: no request leaves after it. */
  readonly sendBy: Millis;
  /** Protocol time: no request takes effect after it. */
  readonly notAfter: Millis;
  readonly misses: number;
  readonly missedAt: Millis | null;
  /** Protocol time at which it became final. */
  readonly endedAt: Millis | null;
  /** Protocol time since which trades of it are missing: more is filled than booked. */
  readonly behindSince: Millis | null;
  /** Market time. */
  readonly createdAt: Millis;
  /** Final, and its fills add up: the slot may act again. */
  readonly settled: boolean;
  /** Who asked for it by hand; null for an order of a strategy. */
  readonly actor: string | null;
}

/** An order that a strategy plans, before it has its client id. */
export type Draft = Omit<Order, "clientId">;

/** What was asked of the venue. */
export const wanted = ({ clientId, symbol, side, type, price, amount, timeInForce }: Order): NewOrder => ({
  clientId,
  symbol,
  side,
  type,
  price,
  amount,
  timeInForce,
});

/** What every order begins with. */
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
