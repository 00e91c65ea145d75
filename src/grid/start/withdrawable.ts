import { type Need, neededOf } from "../../engine/reserves.ts";
import { type Decimal, div, max, min, ONE, sum, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { Balance } from "../../model/account.ts";

/** Amounts of one asset: what strategies need, what can be withdrawn, and what strategies already lack. */
export interface Withdrawable {
  readonly asset: string;
  readonly total: Decimal;
  readonly inOrders: Decimal;
  readonly kept: Decimal;
  readonly most: Decimal;
  readonly missing: Decimal;
}

/** Returns, per asset, what can be withdrawn without making any strategy's order wait for funds. */
export function withdrawable(balances: readonly Balance[], needs: readonly Need[]): Withdrawable[] {
  const known = new Map(balances.map((balance) => [balance.asset, balance]));
  const assets = new Set([
    ...balances.filter(({ free, used }) => free + used !== ZERO).map(({ asset }) => asset),
    ...needs.flatMap(({ strategy }) => Object.values(splitPair(strategy.symbol))),
  ]);
  return [...assets].map((asset) => {
    const { free, used } = known.get(asset) ?? { free: ZERO, used: ZERO };
    const stays = neededOf(needs, { asset, used });
    const most = max(ZERO, min(free - stays, withinShares(asset, { total: free + used, needs })));
    const missing = max(ZERO, stays - free);
    return { asset, total: free + used, inOrders: used, kept: free - most, most, missing };
  });
}

/**
 * Returns the maximum withdrawal of a quote asset that keeps the buys of strategies with `maxPosition` and
 * `safetyReserve` within them; both are shares of the capital, which a withdrawal reduces.
 */
function withinShares(asset: string, { total, needs }: { total: Decimal; needs: readonly Need[] }): Decimal {
  const mine = needs.filter(({ strategy }) => splitPair(strategy.symbol).quote === asset);
  const capital = total + sum(mine.map(({ cost }) => cost));
  const buysOf = ({ reserve }: Need) => reserve.locked.quote + reserve.quote;
  const buys = sum(mine.map(buysOf));
  return mine
    .flatMap((need) => {
      const { maxPosition, safetyReserve } = need.reserve;
      const position = need.cost + buysOf(need);
      return [
        ...(maxPosition ? [capital - div(position, maxPosition, "up")] : []),
        ...(safetyReserve ? [aboveReserve(safetyReserve, { capital, quote: total - buys })] : []),
      ];
    })
    .reduce(min, total);
}

/** Returns the w with quote − w = share · (capital − w). */
const aboveReserve = (
  share: Decimal,
  { capital, quote }: { readonly capital: Decimal; readonly quote: Decimal },
): Decimal => (share >= ONE ? ZERO : div(quote * ONE - share * capital, (ONE - share) * ONE, "down"));
