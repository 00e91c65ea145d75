import type * as z from "zod";
import { describeRefusal } from "../../model/refusal-text.ts";
import type { StrategyText } from "../../ports/kind-reading.ts";
import type { OwnDetailsShape, PlannedOwnStrategyShape } from "./shapes.ts";

type PlanResponse = z.output<ReturnType<typeof PlannedOwnStrategyShape>>;

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

/** Orders of a status, or of a plan. */
interface ShownOrders {
  readonly orders: StrategyText["orders"] | PlanResponse["orders"];
}

const ordersText = ({ orders }: ShownOrders): string =>
  orders.map(({ id, side, price, amount }) => `${id}: ${side} ${amount} at ${price}`).join("; ") ||
  "no open orders";

const refusedText = ({ refused }: Pick<PlanResponse, "refused">): string =>
  refused.map((one) => `${one.id}: ${describeRefusal(one)}`).join("; ");

const MAX_STATE_CHARACTERS_SHOWN = 200;

/** Returns the start of a state as JSON; the whole one is in the response. */
function stateText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_STATE_CHARACTERS_SHOWN ? text : `${text.slice(0, MAX_STATE_CHARACTERS_SHOWN)}…`;
}

/** Returns the lines that only users' own strategies have. */
export function ownLines({ symbol, orders, details }: StrategyText): Readonly<Record<string, string>> {
  const [base, quote] = symbol.split("/");
  const { config, budget, state, notes } = details as z.output<ReturnType<typeof OwnDetailsShape>>;
  return {
    config: configText({ config }),
    placed: ordersText({ orders }),
    ...(state == null ? {} : { state: stateText(state) }),
    ...(Object.keys(notes).length > 0 ? { notes: configText({ config: notes }) } : {}),
    budget: `${budget.base} ${base} and ${budget.quote} ${quote}`,
  };
}
