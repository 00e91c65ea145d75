import { strategiesOn } from "../../engine/operations/start-reads.ts";
import { stalledNotices } from "../../engine/pass/stop-watch.ts";
import { type Need, neededOf, needsOf } from "../../engine/reserves.ts";
import { type Decimal, div, max, min, ONE, sum, text, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { accountKey, type Balance, type Balances, unreadBalance } from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import type { StoreDeps, StrategyDeps } from "../../ports/kind.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import type { Venue } from "../../ports/venue.ts";

/** Returns stalled strategies, whose fills since the last pass are not booked. */
const stalledOf = (views: readonly StrategyView[], { interval }: StoreDeps) =>
  views.flatMap((view) => stalledNotices(view, interval)).slice(0, 1);

const lacking = (assets: readonly Withdrawable[]) =>
  assets.flatMap(({ asset, missing }) =>
    missing === 0n
      ? []
      : [
          {
            code: "funds_missing",
            message: `the strategies lack ${text(missing)} ${asset}: orders will wait until it is deposited, or a strategy is stopped or made smaller`,
          },
        ],
  );

/** Returns the w with quote − w = share · (capital − w). */
const aboveReserve = (
  share: Decimal,
  { capital, quote }: { readonly capital: Decimal; readonly quote: Decimal },
): Decimal => (share >= ONE ? ZERO : div(quote * ONE - share * capital, (ONE - share) * ONE, "down"));

/** What strategies need of an account, and what can be withdrawn without leaving one of their orders unfunded. */
interface Unreserved {
  readonly balances: Balances;
  readonly assets: readonly Withdrawable[];
  readonly needs: readonly Need[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** Reads what strategies need, then the balances. It moves nothing. */
export async function readUnreserved(deps: StrategyDeps, venue: Venue): Promise<Unreserved> {
  const views = await strategiesOn(deps, venue);
  // Orders before balances: a fill in between is missing from both sides, never counted twice as free.
  const needs = await readNeeds(deps, venue, views);
  const balances = await venue.balances();
  const assets = withdrawable(balances, needs);
  return { balances, assets, needs, warnings: [...stalledOf(views, deps), ...lacking(assets)] };
}

async function readNeeds(
  { store, kinds }: StoreDeps,
  venue: Venue,
  views: readonly StrategyView[],
): Promise<Need[]> {
  const orders = views.length === 0 ? [] : await store.unsettledOrders(accountKey(venue.account));
  const markets = new Map<Pair, Market>();
  for (const { strategy } of views)
    if (!markets.has(strategy.symbol)) markets.set(strategy.symbol, await venue.market(strategy.symbol));
  const strategies = views.map(({ strategy }) => strategy);
  return needsOf(strategies, orders, { kinds, marketOf: (symbol) => markets.get(symbol) as Market });
}

/** A balance with what strategies need of it, what can be withdrawn, and what strategies already lack. */
export interface Withdrawable extends Balance {
  readonly kept: Decimal;
  readonly most: Decimal;
  readonly missing: Decimal;
}

/**
 * Returns, per asset, what can be withdrawn without making any strategy's order wait for funds. An asset whose balance
 * cannot be read is left out: nothing is known of it.
 */
export function withdrawable(balances: Balances, needs: readonly Need[]): Withdrawable[] {
  const known = new Map(balances.map((balance) => [balance.asset, balance]));
  const assets = new Set([
    ...balances.filter(({ free, used }) => free + used !== ZERO).map(({ asset }) => asset),
    ...needs.flatMap(({ strategy }) => Object.values(splitPair(strategy.symbol))),
  ]);
  const readable = [...assets].filter((asset) => !unreadBalance(balances, asset));
  return readable.map((asset) => {
    const { free, used } = known.get(asset) ?? { free: ZERO, used: ZERO };
    const stays = neededOf(needs, { asset, used });
    const most = max(ZERO, min(free - stays, withinShares(asset, { total: free + used, needs })));
    const missing = max(ZERO, stays - free);
    return { asset, free, used, kept: free - most, most, missing };
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
