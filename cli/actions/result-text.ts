import type { Operation } from "../../src/operation.ts";
import {
  describeEdited,
  describeStarted,
  type EditAnswer,
  formatPlan,
  type ShownPlan,
  type StartedGrid,
} from "./plan-text.ts";

/** Formats a preview, and the command that starts it. */
function formatPreview(plan: ShownPlan, start: string): Readonly<Record<string, string>> {
  const base = plan.config.symbol.split("/")[0];
  const without = plan.ownBaseUsed === "0" ? "" : `; it sells ${plan.ownBaseUsed} ${base} of your own`;
  return { ...formatPlan(plan), "to start": `${start}${without}` };
}

/** Describes a range grid's plan, which stays valid while the market allows it. */
const formatRange = (plan: ShownPlan) =>
  formatPreview(plan, `--plan-hash ${plan.planHash} starts exactly this plan`);

/** Describes a centered grid's plan, which depends on the market, so a start shows it again. */
const formatCentered = (plan: ShownPlan) =>
  formatPreview(plan, "run the same command without --preview; it shows the plan first");

/** Formats of plans, starts and changes, in the words of their confirmation. */
const IN_WORDS: Readonly<Record<string, (body: unknown) => unknown>> = {
  preview_grid: (body) => formatRange(body as ShownPlan),
  preview_centered_grid: (body) => formatCentered(body as ShownPlan),
  start_grid: (body) => describeStarted(body as StartedGrid),
  start_centered_grid: (body) => describeStarted(body as StartedGrid),
  edit_grid: (body) => describeEdited(body as EditAnswer),
};

/** Formats a response for people. */
export const wordsOf = ({ name, cli }: Operation, body: unknown): unknown =>
  (IN_WORDS[name] ?? cli?.view)?.(body) ?? body;
