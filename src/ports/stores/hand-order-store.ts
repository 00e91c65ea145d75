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
   * Writes the intent of an order by hand: in one statement with what it is held against, so that of two orders that
   * would meet each other only one is written. Throws `constraint` on a client id that the account has used.
   */
  recordByHand(order: Order, held: HandTerms, by: By): Promise<HandRecord>;
  settleByHand(outcome: Pick<Order, "account"> & Settlement["outcomes"][number]): Promise<void>;
  orderByClientId(account: AccountKey, clientId: string): Promise<Order | undefined>;
  /** Returns whether an order of the account is unconfirmed and has to be looked up. */
  hasUnclear(account: AccountKey): Promise<boolean>;
}
