import * as z from "zod";
import { type Decimal, text, wire } from "../../kernel/decimal.ts";
import { idField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Order } from "../../model/order.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { stalledFor, stalledNotices } from "../pass/stalled.ts";
import { streamNotices } from "../pass/streams/down.ts";
import { positionAccounts } from "../position/ledger.ts";
import type { PositionStrategy } from "../position/state.ts";
import type { PositionKind } from "./position-kind.ts";
import { runningViews, viewNamed } from "./views.ts";

export const READS_STRATEGIES = {
  effect: "read",
  access: "token",
  failure: "Internal error",
  mcp: { isSelfContained: true },
} as const;

export const statusInput = lazy(() =>
  z.object({
    id: idField("Invalid request").optional().describe("Strategy id; default: all running ones"),
  }),
);

const KILLED = { code: "killed", message: "the kill switch is on: nothing is placed until it is off" };

/** Returns a strategy as lists show it, with the notices that its own passes cannot know. */
export function listedStrategy<More extends object>(
  { interval, streamReport }: Deps,
  view: StrategyView<PositionStrategy>,
  killed: boolean,
  more: More,
) {
  const { id, name = null, account, symbol, status, startedAt, state } = view.strategy;
  const { exchange, kind } = parseAccountKey(account);
  const isKilled = killed && status !== "stopped";
  const notices = [
    ...state.notices,
    ...stalledNotices(view, interval),
    ...streamNotices(view, streamReport?.()),
    ...(isKilled ? [KILLED] : []),
  ];
  return {
    ...{ id, name, dryRun: kind === "dry", ...more, exchange, symbol, status },
    stalled: stalledFor(view, interval) > 0,
    notices: notices.map((notice) => ({ ...notice })),
    startedAt,
  };
}

const OPEN: readonly Order["state"][] = ["submitted", "open", "partially_filled"];

/** Returns a strategy's open orders with the amounts that are left. */
export const openOrdersOf = (orders: readonly Order[], id: string): readonly Order[] =>
  orders
    .filter((order) => order.strategy === id && OPEN.includes(order.state))
    .map((order) => ({ ...order, amount: order.amount - order.filled }));

export const phaseOut = ({ phase, wants, status }: PositionStrategy): string =>
  wants === "stop" && status !== "stopped" ? "stopping" : phase;

/** Returns the result of a position at a price. */
export function positionOut(strategy: PositionStrategy, mark: Decimal | undefined) {
  const { realized, total, position, averageCost, filledOrders } = positionAccounts(strategy, mark);
  return {
    filledOrders,
    profit: wire(realized),
    totalProfit: mark === undefined ? null : wire(total),
    position: text(position),
    averageCost: averageCost === null ? null : wire(averageCost),
  };
}

/** Reads the requested strategy, or all running ones, for their status. */
export async function readStatusViews<S extends PositionStrategy>(
  deps: Deps,
  kind: PositionKind<S>,
  id: string | undefined,
) {
  const views = id === undefined ? await runningViews(deps, kind) : [await viewNamed(deps, kind, id)];
  const account = id === undefined ? undefined : views[0]?.strategy.account;
  return { views, orders: await deps.store.unsettledOrders(account), killed: await deps.store.killed() };
}
