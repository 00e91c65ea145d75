/** What a strategy can use in a pass, and the orders that it requests. */
import type { Decimal } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { Side } from "./market.ts";
import type { Order, OrderTerms } from "./order.ts";

/** When a request of a pass can be sent and take effect, in protocol time. */
export interface LeaseWindow {
  readonly sendBy: Millis;
  readonly notAfter: Millis;
}

/** Free balance per asset that this pass can still use. */
export type Funds = Readonly<Record<string, Decimal>>;

export interface Resting {
  readonly side: Side;
  readonly price: Decimal;
  /** The order's row; absent if it was placed elsewhere. Then `id` is the exchange's. */
  readonly order?: Order | undefined;
  readonly id?: string | undefined;
}

/** Capital of a strategy, in quote. */
export interface Capital {
  /** Quote, free and in orders, and the cost of all base of strategies with this quote. */
  readonly whole: Decimal;
  readonly quote: Decimal;
  /** Cost of this strategy's base and open buys, and the open buys of all strategies with this quote. */
  readonly position: Decimal;
  readonly openBuys: Decimal;
}

/** Minimum of the free base that belongs to no strategy of the account. */
export interface OwnBase {
  readonly least: Decimal;
  /** Whether no order of ours could make the amount look smaller than it is. */
  readonly isSure: boolean;
}

/** An order that a slot or the strategy as a whole requests. */
export interface Intent extends OrderTerms {
  readonly slot: number;
}
