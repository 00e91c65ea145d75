import type { Decimal } from "../../src/kernel/decimal.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { Fee, OrderType, Side } from "../../src/ports.ts";
import type { Account } from "./account.ts";
import type { Listing } from "./catalog.ts";

/** Good till cancelled, immediate or cancel, fill or kill, maker only. */
export type Force = "gtc" | "ioc" | "fok" | "maker";

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
