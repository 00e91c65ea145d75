/** Computes what the strategies of an account still need, for every kind. */
import { type Decimal, max, sum, ZERO } from "../kernel/decimal.ts";
import { type Pair, splitPair } from "../kernel/pair.ts";
import type { Balance } from "../model/account.ts";
import type { Market } from "../model/market.ts";
import type { Order } from "../model/order.ts";
import type { Reserve, Strategy } from "../model/strategy.ts";
import type { Kinds } from "../ports/kind.ts";

/** A strategy, its remaining need, and the cost of its base. */
export interface Need {
  readonly strategy: Pick<Strategy, "id" | "name" | "symbol">;
  readonly reserve: Reserve;
  readonly cost: Decimal;
}

/**
 * Returns the need of each strategy through its kind, at its market's fees. `orders` are the account's unsettled
 * orders.
 */
export const needsOf = (
  strategies: readonly Strategy[],
  orders: readonly Order[],
  { kinds, marketOf }: { readonly kinds: Kinds; readonly marketOf: (symbol: Pair) => Market },
): Need[] =>
  strategies.map((strategy) => {
    const kind = kinds(strategy.kind);
    const reserve = kind.reserve(strategy, orders, marketOf(strategy.symbol));
    return { strategy, reserve, cost: kind.holdings(strategy.state).cost };
  });

/**
 * Returns how much of an asset's free balance they need. An order that was canceled since the last pass no longer
 * locks anything.
 */
export function neededOf(needs: readonly Need[], { asset, used }: Pick<Balance, "asset" | "used">): Decimal {
  const needed = sumOfNeeds(needs, asset, (reserve) => reserve);
  const locked = sumOfNeeds(needs, asset, (reserve) => reserve.locked);
  return max(needed, needed + locked - used);
}

function sumOfNeeds(
  needs: readonly Need[],
  asset: string,
  of: (reserve: Reserve) => Reserve["locked"],
): Decimal {
  const amounts = needs.map(({ strategy, reserve }) => {
    const { base, quote } = splitPair(strategy.symbol);
    return asset === quote ? of(reserve).quote : asset === base ? of(reserve).base : ZERO;
  });
  return sum(amounts);
}
