/** Reads what is needed to compute what a running strategy can sell and buy. */
import { type Decimal, max } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { type AccountRef, parseAccountKey } from "../../model/account.ts";
import type { Limits, LimitsRead, LimitsRequest } from "../../model/limits.ts";
import type { Quote } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import { exitsOnLoss } from "../exposure.ts";
import { readStandings } from "./standings.ts";

/** The database and the exchanges that the reads use. */
export interface ExposedAccounts {
  readonly store: {
    readLimits(request: LimitsRequest): Promise<LimitsRead>;
    unsettledOrders(account: string): Promise<readonly Order[]>;
  };
  readonly limits?: Limits | undefined;
  readonly venueOf: (account: AccountRef) => ExposedVenue | undefined;
}

interface ExposedVenue {
  ticker(symbol: Pair): Promise<Quote>;
  openOrders(symbol: Pair): Promise<readonly { readonly id: string; readonly filled: Decimal }[]>;
}

/** Returns whether a loss limit makes the engine sell a strategy's base. */
export async function readExitsOnLoss(
  deps: ExposedAccounts,
  { account, symbol }: Strategy,
): Promise<boolean> {
  const { all } = await readStandings(deps, parseAccountKey(account), "");
  return exitsOnLoss(all[0]?.limits ?? {}, splitPair(symbol).quote);
}

/** Returns the mid price of a strategy's market; undefined if this process cannot reach its exchange. */
export async function readMarketMid(
  { venueOf }: ExposedAccounts,
  { account, symbol }: Strategy,
): Promise<Decimal | undefined> {
  const venue = venueOf(parseAccountKey(account));
  return venue && midOf(await venue.ticker(symbol));
}

/** Returns a strategy's open buys from its books, even if they have filled since. */
export const readOpenBuys = async (
  { store }: ExposedAccounts,
  { id, account }: Strategy,
): Promise<readonly Order[]> =>
  (await store.unsettledOrders(account)).filter(({ strategy, side }) => strategy === id && side === "buy");

/**
 * Returns the part of open buys that can have filled without being booked: all of a buy that the exchange no longer
 * lists.
 */
export async function readUnbookedBuys(deps: ExposedAccounts, strategy: Strategy): Promise<readonly Order[]> {
  const buys = await readOpenBuys(deps, strategy);
  const venue = deps.venueOf(parseAccountKey(strategy.account));
  const open = buys.length > 0 && venue ? await venue.openOrders(strategy.symbol) : [];
  const filled = new Map(open.map((one) => [one.id, one.filled]));
  return buys.map((order) => ({
    ...order,
    amount: max(order.booked, filled.get(order.exchangeId ?? "") ?? order.amount),
  }));
}
