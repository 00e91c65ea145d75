import type { PlanAnswer } from "../../src/lifecycle/plan.ts";
import { planText } from "../../src/lifecycle/plan-view.ts";
import type { Operation } from "../../src/operation.ts";
import type { Answer } from "../../src/transport/run.ts";
import { readSettings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { inputOf } from "../terminal/fields.ts";
import type { FormCommand } from "../terminal/forms.ts";
import { render } from "../terminal/output.ts";
import { fail, misreadOf } from "../terminal/refused.ts";
import { isAtTerminal } from "./plan-confirmation.ts";
import type { AskByName, GridAnswers } from "./questions.ts";
import { reportOnInterrupt } from "./report-on-interrupt.ts";
import { openAnswering, remoteOf, warnWithoutServer } from "./run-operation.ts";
import { printStarted, type StartedResponse, shownStart } from "./start.ts";

interface GuideAnswer {
  readonly start: GridAnswers;
}

/** Suggested input with its plan. */
interface GuidedPlan extends GuideAnswer {
  readonly plan: PlanAnswer;
}

/**
 * Starts a grid from a few questions. In a terminal it asks for values without a flag, and shows the plan for
 * approval; elsewhere it prints the plan, and --yes starts it.
 */
export async function runGuided(
  operations: readonly Operation[],
  one: Pick<FormCommand, "form" | "kind">,
  values: Values,
): Promise<number> {
  const named = (name: string) => operations.find((operation) => operation.name === name) as Operation;
  const guide = named("guide_grid");
  const settings = readSettings(values, process.env);
  const given = inputOf(guide, values);
  const isRequested = !values.json && !values.yes && isAtTerminal();
  const misread = isRequested ? undefined : misreadOf(guide, given);
  if (misread) return fail(misread, { operation: guide, values });
  const remote = await remoteOf(settings, values);
  const { ask: asks, deps, close } = await openAnswering(settings, remote);
  const ask: AskByName = (name, input) => asks(named(name), { ...input });
  try {
    const answer = isRequested
      ? await dialogue(guide, given, { one, ask, values, isSimulated: settings.config.sandbox })
      : await unrequested(given, values, ask);
    if (answer === undefined) return nothing();
    if (answer.status !== 200) return fail(answer, { remote, operation: guide, values });
    return await sayGuided(answer, values, one, () => warnWithoutServer(settings, deps, values));
  } finally {
    close();
  }
}

function nothing(): number {
  process.stderr.write("Nothing was started.\n");
  return 1;
}

async function dialogue(
  guide: Operation,
  given: GridAnswers,
  {
    one,
    ask,
    values,
    isSimulated,
  }: {
    readonly one: Pick<FormCommand, "form" | "kind">;
    readonly ask: AskByName;
    readonly values: Values;
    readonly isSimulated: boolean;
  },
): Promise<Answer | undefined> {
  const { askForGrid } = await import("./questions.ts");
  const request = await askForGrid(guide, given, ask);
  if (request === undefined) return undefined;
  let shown: GuideAnswer | undefined;
  return (
    misreadOf(guide, { ...request }) ??
    shownStart(request, values, {
      one,
      async preview({ planHash: _, ...input }) {
        const answer = await ask("guide_grid", input);
        if (answer.status !== 200) return answer;
        shown = answer.body as GuideAnswer;
        return ask("preview_strategy", shown.start);
      },
      start: ({ planHash }) => ask("start_strategy", { ...shown?.start, planHash }),
      isSimulated,
    })
  );
}

/** Returns the plan without a terminal, or starts exactly that plan. */
async function unrequested(given: GridAnswers, values: Values, ask: AskByName): Promise<Answer> {
  const guided = await ask("guide_grid", given);
  if (guided.status !== 200) return guided;
  const body = guided.body as GuideAnswer;
  const planned = await ask("preview_strategy", body.start);
  if (planned.status !== 200) return planned;
  const plan = planned.body as PlanAnswer;
  const start = { ...body.start, planHash: plan.planHash };
  if (!values.yes) return { ...guided, body: { ...body, start, plan } };
  return reportOnInterrupt(ask("start_strategy", start), values);
}

async function sayGuided(
  { body }: Answer,
  values: Values,
  { kind }: Pick<FormCommand, "kind">,
  started: () => Promise<void>,
): Promise<number> {
  if (!("plan" in (body as object))) {
    printStarted(body as StartedResponse, values);
    await started();
    return 0;
  }
  const text = values.json
    ? JSON.stringify(body, null, 2)
    : render(planText((body as GuidedPlan).plan, kind));
  process.stdout.write(`${text}\n`);
  if (!values.json) process.stderr.write("Nothing was started. To start without a question, add --yes.\n");
  return 0;
}
