/** Plans a change of a running strategy with the function that a pass uses. */
import { freedOf } from "../engine/operations/start-reads.ts";
import { type Soon, withValue } from "../kernel/soon.ts";
import type { Order } from "../model/order.ts";
import type { ApprovedPlan } from "../model/shown-plan.ts";
import type { AnyStrategyDefinition } from "../ports/definition.ts";
import type { FieldChange } from "../ports/plan.ts";
import { runOwnStrategy } from "./pass/run.ts";
import { contextOf, type PlanInputs, type PlannedOwnStrategy, planOf } from "./planned-start.ts";
import type { OwnStrategy, OwnStrategyConfig } from "./state.ts";

interface PlannedOwnEdit extends Pick<PlannedOwnStrategy, "config" | "orders" | "refused" | "mid" | "fault"> {
  readonly kept: number;
  readonly cancelled: number;
}

/** Plans the cancels of a change, and the orders that replace them once they have ended. */
export function planOwnEdit(
  definition: AnyStrategyDefinition,
  strategy: OwnStrategy,
  config: OwnStrategyConfig,
  inputs: PlanInputs & { readonly orders: readonly Order[] },
): Soon<Soon<PlannedOwnEdit>> {
  const changed: OwnStrategy = { ...strategy, edit: config, edits: (strategy.edits ?? 0) + 1 };
  const live = inputs.orders.filter((order) => order.strategy === strategy.id);
  const run = (orders: readonly Order[], now: PlanInputs) =>
    runOwnStrategy([definition], changed, orders, contextOf(now));
  return withValue(run(live, inputs), ({ cancels = [] }) => {
    const kept = live.filter((order) => !cancels.includes(order));
    const ended = new Set(cancels.flatMap(({ exchangeId }) => exchangeId ?? []));
    const open = inputs.open.filter(({ id }) => !ended.has(id));
    const after = { ...inputs, open, balances: freedOf(strategy, cancels, inputs) };
    return withValue(run(kept, after), ({ intents = [], strategy: { state, lastError } = strategy }) => ({
      ...planOf({ intents, state, lastError }, config, inputs),
      kept: kept.length,
      cancelled: cancels.length,
    }));
  });
}

/** Returns what a change approves. Its orders follow the price within the same budget, so the price does not matter. */
export const approvedOwnEdit = ({ id, edits = 0 }: OwnStrategy, config: OwnStrategyConfig): ApprovedPlan => ({
  approved: [id, edits, config],
  price: null,
});

const optionText = (value: unknown): string =>
  value === undefined ? "none" : typeof value === "object" ? JSON.stringify(value) : String(value);

/** Lists each option that has another value. */
export function optionChanges(
  before: OwnStrategyConfig["options"],
  after: OwnStrategyConfig["options"],
): FieldChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields.flatMap((field) => {
    const [from, to] = [optionText(before[field]), optionText(after[field])];
    return from === to ? [] : [{ field, from, to }];
  });
}
