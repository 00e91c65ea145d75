import type { Operation } from "../../src/operation.ts";
import {
  type EditAnswer,
  editedTold,
  planTold,
  type ShownPlan,
  type StartedGrid,
  startedTold,
} from "./plan-told.ts";

/** A plan that was only asked for, and what starts it. */
function previewTold(plan: ShownPlan, start: string): Readonly<Record<string, string>> {
  const base = plan.config.symbol.split("/")[0];
  const without = plan.ownBaseUsed === "0" ? "" : `; it sells ${plan.ownBaseUsed} ${base} of your own`;
  return { ...planTold(plan), "to start": `${start}${without}` };
}

/** It can be started for as long as the market leaves it as it is. */
const rangeTold = (plan: ShownPlan) =>
  previewTold(plan, `--plan-hash ${plan.planHash} starts exactly this plan`);

/** It lies around the market, which moves: a trade shows its plan anew before it asks. */
const centeredTold = (plan: ShownPlan) =>
  previewTold(plan, "run the same command without --preview; it shows the plan first");

/** Plans, starts and changes are told in the words in which a person is asked about them. */
const IN_WORDS: Readonly<Record<string, (body: unknown) => unknown>> = {
  preview_grid: (body) => rangeTold(body as ShownPlan),
  preview_centered_grid: (body) => centeredTold(body as ShownPlan),
  start_grid: (body) => startedTold(body as StartedGrid),
  start_centered_grid: (body) => startedTold(body as StartedGrid),
  edit_grid: (body) => editedTold(body as EditAnswer),
};

/** An answer as a person reads it. */
export const wordsOf = ({ name, cli }: Operation, body: unknown): unknown =>
  (IN_WORDS[name] ?? cli?.view)?.(body) ?? body;
