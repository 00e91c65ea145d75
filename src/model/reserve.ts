/** Computes how much of an account's balances a strategy still needs. */
import { type Decimal, max, sum, ZERO } from "../kernel/decimal.ts";
import { type Balance, balanceIn } from "./account.ts";
import type { Market, Side } from "./market.ts";
import { need } from "./need.ts";
import type { Order } from "./order.ts";
import type { Strategy } from "./strategy.ts";

/** Amounts of the two assets of a pair. */
export interface Both {
  readonly quote: Decimal;
  readonly base: Decimal;
}

/** Free balances that it still needs. */
export interface Reserve extends Both {
  /** Balances that its open orders lock, in addition. */
  readonly locked: Both;
  /** Maximum share of the account's capital for its buys, if set. */
  readonly maxPosition?: Decimal | undefined;
  readonly safetyReserve?: Decimal | undefined;
}

export const NO_RESERVE: Reserve = { quote: ZERO, base: ZERO, locked: { quote: ZERO, base: ZERO } };

const LOCKING: ReadonlySet<string> = new Set(["submitted", "open", "partially_filled"]);

/** Returns the balances that a strategy's open orders lock, including fees. */
export function lockedBy({ id }: Pick<Strategy, "id">, orders: readonly Order[], market: Market): Both {
  const resting = orders.filter(({ strategy, state }) => strategy === id && LOCKING.has(state));
  const lockedOn = (side: Side) =>
    sum(resting.filter((order) => order.side === side).map((order) => need(market, unfilled(order)).amount));
  return { quote: lockedOn("buy"), base: lockedOn("sell") };
}

const unfilled = ({ side, price, amount, filled }: Order) => ({ side, price, amount: amount - filled });

/** Returns the free balances after subtracting what strategies still need. */
export const freeBeside = (kept: Both, balances: readonly Balance[], { base, quote }: Market): Both => ({
  base: max(ZERO, balanceIn(balances, base).free - kept.base),
  quote: max(ZERO, balanceIn(balances, quote).free - kept.quote),
});
