import { strategiesOn } from "../../engine/pass/paper-start.ts";
import { stalledNotices } from "../../engine/pass/stalled.ts";
import { type Need, needsOf } from "../../engine/reserves.ts";
import { text } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { accountKey } from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import type { Venue } from "../../ports/venue.ts";
import { describeWithdraw, WithdrawShape, withdrawInput, withdrawView } from "../schema/withdraw.ts";
import { type Withdrawable, withdrawable } from "../start/withdrawable.ts";

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
