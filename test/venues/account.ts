import { type Decimal, decimal, ZERO } from "../../src/kernel/decimal.ts";
import type { Tier } from "../../src/model/market.ts";
import type { Order } from "./order.ts";

export interface VenueKeys {
  readonly key: string;
  readonly secret: string;
  readonly passphrase: string;
  /** Of the account, where the exchange counts calls by it. */
  readonly tier: Tier;
  /** What the key may do, in our words; each dialect tells it in its exchange's. */
  readonly may: { readonly read: boolean; readonly trade: boolean; readonly withdraw: boolean };
}

/** Someone's money and orders at an emulated exchange. */
export interface Account {
  readonly number: number;
  /** Of the kind that is asked by other calls, where the exchange has two. */
  unified: boolean;
  readonly holdings: Map<string, { total: Decimal; used: Decimal }>;
  /** Resting orders by id, oldest first. */
  readonly open: Map<string, Order>;
  /** All orders ever, oldest first. */
  readonly orders: Order[];
  readonly byClientId: Map<string, Order[]>;
  /** Assets whose holdings earn rewards: shown under another name where the exchange does so, and spent as ever. */
  readonly earning: Set<string>;
}

export const newAccount = (number: number, balances: Readonly<Record<string, string>>): Account => ({
  number,
  unified: false,
  holdings: new Map(
    Object.entries(balances).map(([asset, total]) => [asset, { total: decimal(total), used: ZERO }]),
  ),
  open: new Map(),
  orders: [],
  byClientId: new Map(),
  earning: new Set(),
});

export function holding(account: Account, asset: string): { total: Decimal; used: Decimal } {
  const found = account.holdings.get(asset);
  if (found) return found;
  const made = { total: ZERO, used: ZERO };
  account.holdings.set(asset, made);
  return made;
}

export const free = (account: Account, asset: string): Decimal => {
  const { total, used } = holding(account, asset);
  return total - used;
};
