import type { Decimal } from "../kernel/decimal.ts";
import type { Balance } from "../model/account.ts";
import type { Venue } from "./venue.ts";

/** Paper trading accounts, one per exchange, with public prices, simulated fills and separate balances. */
export interface DryRuns {
  venue(exchange: string): Venue;
  /** Returns its balances, or those after a start with these balances; the default is 10,000 of `quote`. */
  balances(exchange: string, first: DryBalances): Promise<readonly Balance[]>;
  /** Creates the account or sets its balances. Throws AppError while it has open orders. */
  fund(exchange: string, first: DryBalances): Promise<void>;
}

export interface DryBalances {
  readonly given: Readonly<Record<string, Decimal>> | undefined;
  readonly quote: string;
}
