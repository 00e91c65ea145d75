/** What a strategy may use of a pass, and what it wants of it. */
import type { Decimal } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { Side } from "./market.ts";
import type { Order } from "./order.ts";

/** When a request of a pass may leave and take effect, in protocol time. */
export interface LeaseWindow {
  readonly sendBy: Millis;
  readonly notAfter: Millis;
}

/** Free balance per asset, as far as this pass may still use it. */
export type Funds = Readonly<Record<string, Decimal>>;

export interface Resting {
  readonly side: Side;
  readonly price: Decimal;
  /** Its row, where it has one; otherwise it was placed elsewhere, and `id` is the venue's. */
  readonly order?: Order | undefined;
  readonly id?: string | undefined;
}

/** In quote. */
export interface Capital {
  /** Quote, free and in orders, and the cost of all base held by strategies with this quote. */
  readonly whole: Decimal;
  readonly quote: Decimal;
  /** Cost of this strategy's base and open buys, and the open buys of all strategies with this quote. */
  readonly position: Decimal;
  readonly openBuys: Decimal;
}

/** Free base that no strategy of the account holds, at the least. */
export interface OwnBase {
  readonly least: Decimal;
  /** No order of ours makes it look smaller than it may be. */
  readonly isSure: boolean;
}

/** An order that a slot should rest, or that the strategy as a whole sends. */
export interface Intent {
  readonly slot: number;
  readonly side: Side;
  readonly price: Decimal;
  readonly amount: Decimal;
}
