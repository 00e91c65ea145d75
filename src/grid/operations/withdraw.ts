import { strategiesOn } from "../../engine/operations/start-reads.ts";
import { stalledNotices } from "../../engine/pass/stop-watch.ts";
import { type Need, neededOf, needsOf } from "../../engine/reserves.ts";
import { type Decimal, div, max, min, ONE, sum, text, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { accountKey, type Balance } from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import type { Venue } from "../../ports/venue.ts";
import { describeWithdraw, WithdrawShape, withdrawInput, withdrawView } from "../schema/shapes.ts";

const assetOut = ({ asset, total, inOrders, kept, most, missing }: Withdrawable) => ({
  asset,
  total: text(total),
  inOrders: text(inOrders),
  kept: text(kept),
  canWithdraw: text(most),
  missing: text(missing),
});

/** Returns stalled strategies, whose fills since the last pass are not booked. */
const stalledOf = (views: readonly StrategyView[], { interval }: Deps) =>
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

/** Operation that shows how much can be withdrawn while strategies run. It moves nothing. */
export const withdrawPlan = (ids: readonly string[]): Operation =>
  operation({
    effect: "read",
    access: "token",
    name: "get_withdraw_plan",
    summary: "Show how much you can withdraw without leaving an order unfunded",
    http: { route: "GET /strategy/grid/withdraw-plan", from: "query" },
    cli: {
      path: "grid withdraw-plan",
      view: withdrawView,
      examples: ["edgemaker grid withdraw-plan --exchange kraken"],
    },
    mcp: { summarize: describeWithdraw },
    failure: "Exchange error",
    input: () => withdrawInput(ids),
    output: WithdrawShape,
    run: async (deps, { exchange }) => {
      const venue = deps.venue(exchange);
      const views = await strategiesOn(deps, venue);
      // Orders before balances: a fill in between is missing from both sides, never counted twice as free.
      const needs = await readNeeds(deps, venue, views);
      const assets = withdrawable(await venue.balances(), needs);
      return {
        exchange,
        assets: assets.map(assetOut),
        needs: needs.map(({ strategy, reserve }) => ({
          id: strategy.id,
          name: strategy.name ?? null,
          symbol: strategy.symbol,
          quote: text(reserve.quote),
          base: text(reserve.base),
        })),
        warnings: [...stalledOf(views, deps), ...lacking(assets)],
      };
    },
  });

async function readNeeds(
  { store, kinds }: Deps,
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

/** Amounts of one asset: what strategies need, what can be withdrawn, and what strategies already lack. */
interface Withdrawable {
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
