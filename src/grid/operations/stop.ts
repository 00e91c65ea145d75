import type { Pass } from "../../engine/pass/step.ts";
import { stepNow } from "../../engine/pass/tick.ts";
import { type Decimal, mul, ONE, snap, text } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { splitPair } from "../../kernel/pair.ts";
import { questionBeforeStop, type StopWish } from "../../kernel/stop-flags.ts";
import { parseAccountKey } from "../../model/account.ts";
import { type By, byOf } from "../../model/events.ts";
import { TRADES_NOTHING } from "../../model/proposal.ts";
import type { Strategy } from "../../model/strategy.ts";
import { operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { gridViewsOf } from "../kind.ts";
import { profitOf } from "../ledger/profit.ts";
import { stopReasonOf } from "../schema/ends.ts";
import { stopInput } from "../schema/input.ts";
import { StoppedShape } from "../schema/shapes.ts";
import { stoppedOut } from "../schema/status-answer.ts";
import { stopView } from "../schema/view.ts";
import { previewChange, type Sale, saleOf } from "../start/preview.ts";
import type { GridStrategy } from "../state/state.ts";
import { readSaleExposure } from "./exposures.ts";

export const stopGrid = operation({
  name: "stop_grid",
  summary: "Stop a grid and cancel its orders",
  effect: "trade",
  access: "token",
  lane: "urgent",
  http: { route: "DELETE /strategy/grid", from: "body" },
  cli: {
    path: "grid stop",
    positional: ["id"],
    view: stopView,
    final: { shows: "get_grid_status", question: questionBeforeStop("grid") },
    examples: ["edgemaker grid stop grid-kraken-BTC-USDT-1767225600000"],
  },
  input: stopInput,
  output: StoppedShape,
  failure: "Cancel failed",
  async prepare(deps, { id, cancelOrders, ...flags }, call) {
    const { sellBase } = flags;
    const view = await viewOf(deps, id);
    const how = cancelOrders ? "canceling its orders" : "leaving its orders";
    return {
      preview: async () =>
        previewChange(view, {
          sale: sellBase ? await readSale(deps, view) : undefined,
          text: sellBase ? "stop, selling its base," : `stop, ${how},`,
          killed: sellBase && (await deps.store.killed()),
        }),
      strategies: [id],
      exposure: sellBase ? () => readSaleExposure(deps, view.strategy) : TRADES_NOTHING,
      act: () => stopGridByHand(deps, view.strategy, { keepOrders: !cancelOrders, ...flags }, byOf(call)),
    };
  },
});

async function stopGridByHand(deps: Deps, strategy: GridStrategy, how: StopWish, by: By) {
  const { id } = strategy;
  let pass: Pass | undefined;
  if (strategy.status !== "stopped") {
    await deps.store.setWants(id, "stop", how, by);
    pass = await sweep(deps, strategy);
  }
  const view = await viewOf(deps, id);
  const account = parseAccountKey(view.strategy.account);
  const left = how.keepOrders ? await deps.store.releasedOrdersOf(id) : undefined;
  return {
    success: true,
    id,
    message: stopMessage(deps, view, pass),
    summary: stoppedOut(view, deps.marketTime(account, view.now), left),
  };
}

/** Returns what selling the base would bring now; at the last stored price if this process cannot reach the exchange. */
async function readSale(deps: Deps, { strategy, memory }: StrategyView<GridStrategy>): Promise<Sale> {
  const venue = deps.venueOf(parseAccountKey(strategy.account));
  const mark = memory.marks[strategy.symbol]?.mid ?? strategy.state.startPrice;
  if (!venue) return saleOf(strategy, { mark });
  const [quote, book] = [await venue.ticker(strategy.symbol), await venue.book(strategy.symbol, 100)];
  return saleOf(strategy, { quote, book, mark });
}

export async function viewOf({ store }: Deps, id: string): Promise<StrategyView<GridStrategy>> {
  const [view] = gridViewsOf(await store.strategies({ id }));
  if (!view) throw new AppError("Not found", `there is no strategy ${id}`);
  return view;
}

/** Runs another pass if the first one did not complete the stop, because a lookup must confirm that its orders ended. */
async function sweep(deps: Deps, { id, account }: Strategy): Promise<Pass | undefined> {
  const venue = deps.venueOf(parseAccountKey(account));
  if (!venue) return undefined;
  const pass = await stepNow(deps, venue);
  const isOver = async () => (await viewOf(deps, id)).strategy.status === "stopped";
  if ((pass.outcome !== "stepped" && pass.outcome !== "short") || (await isOver())) return pass;
  return stepNow(deps, venue);
}

/** Describes the total result; the realized part alone could show a loss as a gain. */
function describeResult({ strategy: { state, symbol }, memory }: StrategyView<GridStrategy>): string {
  const { base, quote } = splitPair(symbol);
  const mark = memory.marks[symbol]?.mid;
  const { total, realized, position } = profitOf(state, mark ?? ONE);
  const cents = (value: Decimal) => text(snap(value, ONE / 100n, "half"));
  if (position === 0n) return `total ${cents(total)} ${quote}`;
  if (mark === undefined)
    return `${cents(realized)} ${quote} realized; ${text(position)} ${base} stay in the account, at an unknown price`;
  const worth = `worth ${cents(mul(position, mark, "half"))} ${quote} at ${text(mark)}`;
  return `total ${cents(total)} ${quote}, of which ${cents(realized)} realized; ${text(position)} ${base} stay in the account, ${worth}`;
}

/** Describes a stop: its state, why the grid had ended before, and its result. */
function stopMessage(deps: Deps, view: StrategyView<GridStrategy>, pass: Pass | undefined): string {
  const { strategy, memory } = view;
  const reason = stopReasonOf(strategy, memory.marks[strategy.symbol]?.mid);
  return [describeState(deps, view, pass), ...(reason === null ? [] : [reason]), describeResult(view)].join(
    "; ",
  );
}

function describeState(
  { venueOf }: Deps,
  { strategy, openOrders, accountError }: StrategyView,
  pass: Pass | undefined,
): string {
  const { id, status, account, keepOrders } = strategy;
  if (status === "stopped")
    return keepOrders
      ? `${id} is stopped; its open orders are yours now`
      : `${id} is stopped and has no orders left`;
  if (!venueOf(parseAccountKey(account)))
    return `${id} stops at the next pass of a process that is configured for ${account}`;
  const why = accountError ? ` (${accountError})` : "";
  if (pass?.outcome === "failed" && pass.cancels)
    return `${id} is stopping: the exchange accepted the cancels of ${pass.cancels} orders, but their final state cannot be read yet${why}; the next passes finish it`;
  return `${id} is stopping: ${openOrders} of its orders could still be open${why}; the next passes finish the stop`;
}
