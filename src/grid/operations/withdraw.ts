import { stalledNotices } from "../../engine/pass/stalled.ts";
import { text } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Market } from "../../model/market.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import type { Venue } from "../../ports/venue.ts";
import { asGridView, isGrid } from "../kind.ts";
import { reserveOf } from "../plan/reserve.ts";
import { WithdrawShape, withdrawInput, withdrawTold, withdrawView } from "../schema/withdraw.ts";
import { type Need, type Withdrawable, withdrawable } from "../start/withdrawable.ts";
import type { GridStrategy } from "../state/state.ts";
import { gridsOf } from "./start-reading.ts";

/** What can be taken out of an account while its grids run. It moves nothing. */
export const withdrawPlan = (ids: readonly string[]): Operation =>
  operation({
    effect: "read",
    access: "token",
    name: "get_withdraw_plan",
    summary: "What can be taken out of an account without a slot of its grids starving",
    http: { route: "GET /strategy/grid/withdraw-plan", from: "query" },
    cli: {
      path: "grid withdraw-plan",
      view: withdrawView,
      examples: ["edgemaker grid withdraw-plan --exchange kraken"],
    },
    mcp: { told: withdrawTold },
    failure: "Exchange error",
    input: () => withdrawInput(ids),
    output: WithdrawShape,
    run: async (deps, { exchange }) => {
      const venue = deps.venue(exchange);
      const all = await gridsOf(deps, venue);
      const views = all.filter(({ strategy }) => isGrid(strategy)).map(asGridView);
      // Orders before balances: what fills in between is missing from both sides, never counted twice as free.
      const needs = await needsOf(deps, venue, views);
      const assets = withdrawable(await venue.balances(), needs);
      return {
        exchange,
        assets: assets.map(assetOut),
        needs: needs.map(({ strategy, reserve }) => ({
          id: strategy.id,
          symbol: strategy.symbol,
          quote: text(reserve.quote),
          base: text(reserve.base),
        })),
        warnings: [...stalledOf(views, deps), ...lacking(assets)],
      };
    },
  });

async function needsOf(
  { store }: Deps,
  venue: Venue,
  views: readonly StrategyView<GridStrategy>[],
): Promise<Need[]> {
  const orders = views.length === 0 ? [] : await store.unsettledOrders();
  const markets = new Map<Pair, Market>();
  for (const { strategy } of views)
    if (!markets.has(strategy.symbol)) markets.set(strategy.symbol, await venue.market(strategy.symbol));
  return views.map(({ strategy }) => ({
    strategy,
    reserve: reserveOf(strategy, orders, markets.get(strategy.symbol) as Market),
  }));
}

const assetOut = ({ asset, total, inOrders, kept, most, missing }: Withdrawable) => ({
  asset,
  total: text(total),
  inOrders: text(inOrders),
  kept: text(kept),
  canWithdraw: text(most),
  missing: text(missing),
});

/** What has filled since the last pass is in nobody's books. */
const stalledOf = (views: readonly StrategyView<GridStrategy>[], { interval }: Deps) =>
  views.flatMap((view) => stalledNotices(view, interval)).slice(0, 1);

const lacking = (assets: readonly Withdrawable[]) =>
  assets.flatMap(({ asset, missing }) =>
    missing === 0n
      ? []
      : [
          {
            code: "funds_missing",
            message: `the grids lack ${text(missing)} ${asset}: slots will wait until it is deposited, or a grid is stopped or made smaller`,
          },
        ],
  );
