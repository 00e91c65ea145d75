/** What the strategies of an account need of it, whatever kind they are of. */
import { type Decimal, max, sum, ZERO } from "../kernel/decimal.ts";
import { type Pair, splitPair } from "../kernel/pair.ts";
import type { Balance } from "../model/account.ts";
import type { Market } from "../model/market.ts";
import type { Order } from "../model/order.ts";
import type { Reserve } from "../model/reserve.ts";
import type { Strategy } from "../model/strategy.ts";
import type { Kinds } from "../ports/kind.ts";

/** A strategy, what it still needs, and what the base that it holds has cost. */
export interface Need {
  readonly strategy: Pick<Strategy, "id" | "symbol">;
  readonly reserve: Reserve;
  readonly cost: Decimal;
}

/** Each strategy is asked through its kind, at its market's fees. `orders` are the account's unsettled ones. */
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

/** What of an asset's free balance they need. An order that was cancelled since the last pass locks nothing any more. */
export function neededOf(needs: readonly Need[], { asset, used }: Pick<Balance, "asset" | "used">): Decimal {
  const wanted = sumOfNeeds(needs, asset, (reserve) => reserve);
  const locked = sumOfNeeds(needs, asset, (reserve) => reserve.locked);
  return max(wanted, wanted + locked - used);
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
