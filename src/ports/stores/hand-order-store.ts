import type { Decimal } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { By } from "../../model/events.ts";
import type { LimitTerms } from "../../model/limits.ts";
import type { Order } from "../../model/order.ts";
import type { Settlement } from "./step-store.ts";

/** Why the intent of a manual order was not written: the kill switch, a limit, or an order that it could fill against. */
export type HandRecord =
  | { readonly result: "recorded" }
  | { readonly result: "refused" }
  | { readonly result: "meets"; readonly order: Order };

/** What a manual order is checked against: the limits and the account's own orders. */
export interface HandTerms {
  /** Protocol time of the read; read from the database if absent. */
  readonly at?: Millis;
  readonly terms: LimitTerms | null;
  /** Worst price at which it can trade; null for any price. */
  readonly limit: Decimal | null;
  /** Client ids of orders that have ended on the exchange. */
  readonly ended: readonly string[];
}

export interface HandOrderStore {
  /** Protocol time. */
  now(): Promise<Millis>;
  /**
   * Writes the intent of a manual order and checks its terms in the same statement, so only one of two orders that
   * could fill each other is written. Throws `constraint` if the account already used the client id.
   */
  recordByHand(order: Order, terms: HandTerms, by: By): Promise<HandRecord>;
  settleByHand(outcome: Pick<Order, "account"> & Settlement["outcomes"][number]): Promise<void>;
  orderByClientId(account: AccountKey, clientId: string): Promise<Order | undefined>;
  /** Returns whether the account has an unconfirmed order that must be looked up. */
  hasUnclear(account: AccountKey): Promise<boolean>;
}
