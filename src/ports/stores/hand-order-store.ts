import type { Decimal } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { By } from "../../model/events.ts";
import type { LimitTerms } from "../../model/limits.ts";
import type { Order } from "../../model/order.ts";
import type { Settlement } from "./step-store.ts";

/** Why the intent of an order by hand was not written: the kill switch or the limits, or an order that it would meet. */
export type HandRecord =
  | { readonly result: "recorded" }
  | { readonly result: "refused" }
  | { readonly result: "meets"; readonly order: Order };

/** What an order by hand is held against: the limits, and the account's own orders. */
export interface HandTerms {
  /** Protocol time at which they were read a moment ago; left out, the database is asked for it. */
  readonly at?: Millis;
  readonly terms: LimitTerms | null;
  /** How far it may trade; null where that is any price. */
  readonly limit: Decimal | null;
  /** Client ids of orders that the venue has told to have ended. */
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
  /** Whether an order of the account waits to be looked up: nobody has said what became of it. */
  hasUnclear(account: AccountKey): Promise<boolean>;
}
