import type { Decimal } from "../kernel/decimal.ts";
import type { Balance } from "../model/account.ts";
import type { Venue } from "./venue.ts";

/** Accounts on paper, one an exchange: the exchange's own public prices, simulated fills, balances of their own. */
export interface DryRuns {
  venue(exchange: string): Venue;
  /** What it holds, or would after a start with these balances; without any, 10,000 of `quote`. */
  balances(exchange: string, first: DryBalances): Promise<readonly Balance[]>;
  /** Makes the account, or gives it other balances. Throws AppError while orders of it rest. */
  fund(exchange: string, first: DryBalances): Promise<void>;
}

export interface DryBalances {
  readonly given: Readonly<Record<string, Decimal>> | undefined;
  readonly quote: string;
}
