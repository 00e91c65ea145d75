import type * as z from "zod";
import { describeRefusal } from "../../model/refusal-text.ts";
import { calledBy } from "../../model/strategy.ts";
import type { OwnStrategyStatusesShape, PlannedOwnStrategyShape } from "./shapes.ts";

type PlanResponse = z.output<ReturnType<typeof PlannedOwnStrategyShape>>;
type StatusesResponse = z.output<ReturnType<typeof OwnStrategyStatusesShape>>;
type StatusResponse = StatusesResponse["strategies"][number];

/** Formats a plan. */
export function ownStrategyPlanText(answer: unknown): Readonly<Record<string, string>> {
  const plan = answer as PlanResponse;
  const [base, quote] = plan.symbol.split("/");
  const whole = plan.warnings.find(({ code }) => code === "whole_balance");
  const warnings = plan.warnings.filter((one) => one !== whole);
  return {
    ...(whole ? { "at most": whole.message } : {}),
    strategy: plan.strategy,
    market: `${plan.symbol} on ${plan.exchange}`,
    config: configText(plan),
    orders: ordersText(plan),
    ...(plan.refused.length > 0 ? { "not placed": refusedText(plan) } : {}),
    budget: `${plan.budget.base} ${base} and ${plan.budget.quote} ${quote}`,
    "worst case": plan.worstCase,
    ...(warnings.length > 0 ? { warnings: warnings.map(({ message }) => message).join(". ") } : {}),
  };
}

/** Formats a previewed plan, and the command that starts it. */
export const plannedOwnStrategyView = (answer: unknown) => ({
  ...ownStrategyPlanText(answer),
  "to start": `--plan-hash ${(answer as PlanResponse).planHash} starts exactly this plan`,
});

const configText = ({ config }: Pick<PlanResponse, "config">): string =>
  Object.entries(config)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ") || "none";

const ordersText = ({ orders }: Pick<PlanResponse, "orders">): string =>
  orders.map(({ id, side, price, amount }) => `${id}: ${side} ${amount} at ${price}`).join("; ") ||
  "no open orders";

const refusedText = ({ refused }: Pick<PlanResponse, "refused">): string =>
  refused.map((one) => `${one.id}: ${describeRefusal(one)}`).join("; ");

/** Formats strategies for people: a few lines each. */
export const ownStrategyStatusView = (answer: unknown) => {
  const { strategies, count } = answer as StatusesResponse;
  if (count === 0)
    return { note: "none of your own strategies runs; `edgemaker strategy start` starts one", count };
  return { strategies: strategies.map(statusLines), count };
};

const MAX_STATE_CHARACTERS_SHOWN = 200;

/** Returns the start of a state as JSON; the whole one is in the response. */
function stateText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_STATE_CHARACTERS_SHOWN ? text : `${text.slice(0, MAX_STATE_CHARACTERS_SHOWN)}…`;
}

function statusLines(one: StatusResponse) {
  const [base, quote] = one.symbol.split("/");
  const total = one.totalProfit === null ? "not known until a price is" : `${one.totalProfit} ${quote}`;
  return {
    strategy: calledBy(one),
    market: `${one.symbol} on ${one.exchange}${one.dryRun ? " (paper trading)" : ""}`,
    status: one.status === one.phase ? one.status : `${one.status}, ${one.phase}`,
    ...(one.lastError === null ? {} : { error: one.lastError }),
    total: `${total}, ${one.profit} realized; ${one.filledOrders} filled`,
    config: configText(one),
    orders: ordersText(one),
    ...(one.state == null ? {} : { state: stateText(one.state) }),
    ...(Object.keys(one.notes).length > 0 ? { notes: configText({ config: one.notes }) } : {}),
    holds: `${one.position} ${base}${one.averageCost === null ? "" : ` at ${Number(one.averageCost.toPrecision(7))}`}`,
    ...(one.refused.length > 0 ? { waiting: refusedText(one) } : {}),
    ...(one.notices.length > 0 ? { notice: one.notices.map(({ message }) => message).join(". ") } : {}),
    lastStepAt: one.lastStepAt,
    ...(one.stream === null ? {} : { stream: one.stream }),
  };
}
