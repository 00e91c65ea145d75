/** Of an account's balances, what a strategy needs to go on as it was asked to. */
import { type Decimal, max, sum, ZERO } from "../kernel/decimal.ts";
import { type Balance, balanceIn } from "./account.ts";
import type { Market, Side } from "./market.ts";
import { need } from "./need.ts";
import type { Order } from "./order.ts";
import type { Strategy } from "./strategy.ts";

/** Of the two assets of a pair. */
export interface Both {
  readonly quote: Decimal;
  readonly base: Decimal;
}

/** What it still needs of what is free. */
export interface Reserve extends Both {
  /** What its resting orders have locked beside it. */
  readonly locked: Both;
  /** Shares of the account's capital that its buys stay within, where it was asked to. */
  readonly maxPosition?: Decimal | undefined;
  readonly safetyReserve?: Decimal | undefined;
}

export const NO_RESERVE: Reserve = { quote: ZERO, base: ZERO, locked: { quote: ZERO, base: ZERO } };

const LOCKING: ReadonlySet<string> = new Set(["submitted", "open", "partially_filled"]);

/** What a strategy's resting orders have locked, fees included. */
export function lockedBy({ id }: Pick<Strategy, "id">, orders: readonly Order[], market: Market): Both {
  const resting = orders.filter(({ strategy, state }) => strategy === id && LOCKING.has(state));
  const lockedOn = (side: Side) =>
    sum(resting.filter((order) => order.side === side).map((order) => need(market, unfilled(order)).amount));
  return { quote: lockedOn("buy"), base: lockedOn("sell") };
}

const unfilled = ({ side, price, amount, filled }: Order) => ({ side, price, amount: amount - filled });

/** What is free beside what strategies still need. */
export const freeBeside = (kept: Both, balances: readonly Balance[], { base, quote }: Market): Both => ({
  base: max(ZERO, balanceIn(balances, base).free - kept.base),
  quote: max(ZERO, balanceIn(balances, quote).free - kept.quote),
});
