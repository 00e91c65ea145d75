import type { Operation } from "../../src/operation.ts";
import {
  describeEdited,
  describeStarted,
  type EditAnswer,
  formatPlan,
  type ShownPlan,
  type StartedGrid,
} from "./plan-text.ts";

/** A plan that was only asked for, and what starts it. */
function formatPreview(plan: ShownPlan, start: string): Readonly<Record<string, string>> {
  const base = plan.config.symbol.split("/")[0];
  const without = plan.ownBaseUsed === "0" ? "" : `; it sells ${plan.ownBaseUsed} ${base} of your own`;
  return { ...formatPlan(plan), "to start": `${start}${without}` };
}

/** It can be started for as long as the market leaves it as it is. */
const formatRange = (plan: ShownPlan) =>
  formatPreview(plan, `--plan-hash ${plan.planHash} starts exactly this plan`);

/** It lies around the market, which moves: a trade shows its plan anew before it asks. */
const formatCentered = (plan: ShownPlan) =>
  formatPreview(plan, "run the same command without --preview; it shows the plan first");

/** Plans, starts and changes are told in the words in which a person is asked about them. */
const IN_WORDS: Readonly<Record<string, (body: unknown) => unknown>> = {
  preview_grid: (body) => formatRange(body as ShownPlan),
  preview_centered_grid: (body) => formatCentered(body as ShownPlan),
  start_grid: (body) => describeStarted(body as StartedGrid),
  start_centered_grid: (body) => describeStarted(body as StartedGrid),
  edit_grid: (body) => describeEdited(body as EditAnswer),
};

/** An answer as a person reads it. */
export const wordsOf = ({ name, cli }: Operation, body: unknown): unknown =>
  (IN_WORDS[name] ?? cli?.view)?.(body) ?? body;
