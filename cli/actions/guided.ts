import type { Operation } from "../../src/operation.ts";
import type { Answer } from "../../src/transport/run.ts";
import { readSettings } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";
import { inputOf } from "../terminal/fields.ts";
import { render } from "../terminal/output.ts";
import { fail, misreadOf } from "../terminal/refused.ts";
import {
  describeStarted,
  formatPlan,
  isAtTerminal,
  type ShownPlan,
  type StartedGrid,
  shownStart,
} from "./plan-confirmation.ts";
import type { AskByName, GridAnswers } from "./questions.ts";
import { reportOnInterrupt } from "./report-on-interrupt.ts";
import { openAnswering, remoteOf, warnWithoutServer } from "./run-operation.ts";

interface GuideAnswer {
  readonly start: GridAnswers;
  readonly plan: ShownPlan;
}

/**
 * Starts a grid from a few questions. In a terminal it asks for values without a flag, and shows the plan for
 * approval; elsewhere it prints the plan, and --yes starts it.
 */
export async function runGuided(operations: readonly Operation[], values: Values): Promise<number> {
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
      ? await dialogue(guide, given, { ask, values, isSimulated: settings.config.sandbox })
      : await unrequested(given, values, ask);
    if (answer === undefined) return nothing();
    if (answer.status !== 200) return fail(answer, { remote, operation: guide, values });
    return await sayGuided(answer, values, () => warnWithoutServer(settings, deps, values));
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
    ask,
    values,
    isSimulated,
  }: { readonly ask: AskByName; readonly values: Values; readonly isSimulated: boolean },
): Promise<Answer | undefined> {
  const { askForGrid } = await import("./questions.ts");
  const request = await askForGrid(guide, given, ask);
  if (request === undefined) return undefined;
  let shown: GuideAnswer | undefined;
  return (
    misreadOf(guide, { ...request }) ??
    shownStart(request, values, {
      async preview(input) {
        const answer = await ask("guide_grid", input);
        if (answer.status !== 200) return answer;
        shown = answer.body as GuideAnswer;
        return { ...answer, body: shown.plan };
      },
      start: () => ask("start_grid", shown?.start ?? {}),
      isSimulated,
    })
  );
}

/** Prints the plan without a terminal, or starts exactly that plan. */
async function unrequested(given: GridAnswers, values: Values, ask: AskByName): Promise<Answer> {
  const answer = await ask("guide_grid", given);
  if (answer.status !== 200 || !values.yes) return answer;
  return reportOnInterrupt(ask("start_grid", (answer.body as GuideAnswer).start), "grid", values);
}

async function sayGuided({ body }: Answer, { json }: Values, started: () => Promise<void>): Promise<number> {
  const isPlan = "plan" in (body as object);
  const shown = isPlan ? formatPlan((body as GuideAnswer).plan) : describeStarted(body as StartedGrid);
  process.stdout.write(`${json ? JSON.stringify(body, null, 2) : render(shown)}\n`);
  if (!isPlan) await started();
  else if (!json) process.stderr.write("Nothing was started. To start without a question, add --yes.\n");
  return 0;
}
