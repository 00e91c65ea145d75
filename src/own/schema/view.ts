import type * as z from "zod";
import type { StrategyText } from "../../ports/kind.ts";
import type { PlanText } from "../../ports/plan.ts";
import type { OwnDetailsShape, OwnPlanShape } from "./shapes.ts";

/** Formats the config of a plan. */
export const ownPlanLines = ({ details }: PlanText): Readonly<Record<string, string>> => ({
  config: configText(details as z.output<ReturnType<typeof OwnPlanShape>>),
});

const configText = ({ config }: { readonly config: Readonly<Record<string, unknown>> }): string =>
  Object.entries(config)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ") || "none";

const ordersText = ({ orders }: Pick<StrategyText, "orders">): string =>
  orders.map(({ id, side, price, amount }) => `${id}: ${side} ${amount} at ${price}`).join("; ") ||
  "no open orders";

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
