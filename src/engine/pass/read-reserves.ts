import { ZERO } from "../../kernel/decimal.ts";
import { type Balance, balanceIn } from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import type { Both } from "../../model/reserve.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { neededOf, needsOf } from "../reserves.ts";

/** Returns what the strategies of an account still need of both assets; each pair at the fees of this one. */
export async function readKept(
  { store, kinds }: Pick<Deps, "store" | "kinds">,
  views: readonly StrategyView[],
  { market, balances }: { readonly market: Market; readonly balances: readonly Balance[] },
): Promise<Both> {
  const [first] = views;
  if (!first) return { base: ZERO, quote: ZERO };
  const orders = await store.unsettledOrders(first.strategy.account);
  const strategies = views.map(({ strategy }) => strategy);
  const needs = needsOf(strategies, orders, { kinds, marketOf: () => market });
  const keptOf = (asset: string) => neededOf(needs, balanceIn(balances, asset));
  return { base: keptOf(market.base), quote: keptOf(market.quote) };
}
