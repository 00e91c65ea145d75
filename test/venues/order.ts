import type { Decimal } from "../../src/kernel/decimal.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { Side } from "../../src/model/market.ts";
import type { Fee, OrderType } from "../../src/model/order.ts";
import type { Account } from "./account.ts";
import type { Listing } from "./catalog.ts";

/** Good till cancelled, immediate or cancel, fill or kill, maker only. */
export type Force = "gtc" | "ioc" | "fok" | "maker";

/** Self-trade prevention: the order that comes is cancelled, or there is none. */
export type Prevention = "taker" | "none";

/** An order in the books of an emulated exchange; the engine changes it in place. */
export interface Order {
  readonly number: number;
  readonly id: string;
  readonly clientId: string;
  /** Undefined for other people's. */
  readonly account: Account | undefined;
  readonly listing: Listing;
  readonly side: Side;
  readonly type: OrderType;
  readonly force: Force;
  /** What ends where it would trade with its own account's: itself, or nothing does and both trade. */
  readonly stp: Prevention;
  /** Limit price; zero for a market order. */
  readonly price: Decimal;
  /** In base; of a market buy by cost what it has bought. */
  amount: Decimal;
  /** Quote to spend, of a market buy by cost. */
  readonly cost: Decimal | undefined;
  readonly feeIn: string;
  filled: Decimal;
  notional: Decimal;
  fee: Decimal;
  /** Still set aside for it. */
  reserved: Decimal;
  status: "open" | "filled" | "canceled";
  readonly at: Millis;
  updatedAt: Millis;
  /** Reads do not show it before. */
  readonly visibleAt: Millis;
  /** Its fees are told by nobody: not in its trades, nor by itself. */
  hidesFee: boolean;
  /** What it waits for outside the book, in the exchange's own words. */
  readonly stop?: StopWords | undefined;
  /** What it was before, as reads go on to show it for a while, oldest first. */
  readonly was: Past[];
}

export interface StopWords {
  readonly type: string;
  readonly trigger: string;
}

/** What changes of an order. */
export type Life = Pick<Order, "amount" | "filled" | "notional" | "fee" | "status" | "updatedAt">;

export interface Past extends Life {
  /** Reads show it so before this time. */
  readonly until: Millis;
}

/** The order as a read at a time shows it. */
export function asRead(order: Order, now: Millis): Order {
  const past = order.was.find(({ until }) => now < until);
  return past ? { ...order, ...past } : order;
}

/** One execution of an account's order. */
export interface Execution {
  readonly number: number;
  readonly id: string;
  readonly order: Order;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly notional: Decimal;
  readonly fee: Fee;
  readonly maker: boolean;
  readonly at: Millis;
  readonly visibleAt: Millis;
}

export interface OrderRequest {
  readonly listing: Listing;
  readonly clientId: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly force: Force;
  readonly stp?: Prevention | undefined;
  readonly price: Decimal;
  /** In base, or with `byCost` in quote. */
  readonly amount: Decimal;
  readonly byCost?: boolean;
  /** The asset its fee is taken in, where the order says so itself. */
  readonly feeIn?: string;
}

export type Refusal =
  | "market_closed"
  | "tick"
  | "lot"
  | "min_amount"
  | "min_notional"
  | "funds"
  | "too_many"
  | "would_take";
