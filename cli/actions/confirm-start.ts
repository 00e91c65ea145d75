import { decimal, ZERO } from "../../src/kernel/decimal.ts";
import type { Answer } from "../../src/transport/run.ts";
import type { Values } from "../terminal/arguments.ts";
import { render } from "../terminal/output.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { formatPlan, type ShownPlan } from "./plan-text.ts";
import { reportOnInterrupt } from "./report-on-interrupt.ts";

type Input = Readonly<Record<string, unknown>>;

interface Asks {
  preview(input: Input): Promise<Answer>;
  start(input: Input): Promise<Answer>;
}

/**
 * Starts a grid. The plan is shown first in a terminal, and exactly that is started: when the market has made another of
 * it meanwhile, that one is shown. Undefined when the answer is to start nothing.
 */
export const confirmStart = (
  input: Input,
  values: Values,
  { preview, start }: Asks,
): Promise<Answer | undefined> =>
  isApproved(input, values) ? reportOnInterrupt(start(input)) : shownStart(input, { preview, start });

/** Whether it is approved without a question. Throws where it is not, and nobody is there to answer one. */
function isApproved(input: Input, { json, yes }: Values): boolean {
  if (yes || input.planHash !== undefined || input.dryRun) return true;
  if (json || !isAtTerminal())
    throw new UsageError(
      "this can place or cancel orders, and nobody can confirm the plan: add --yes, or the --plan-hash of a preview",
    );
  return false;
}

/** Whether there is somebody to ask. */
export const isAtTerminal = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY);

/** Shows the plan until it is started as it was shown, with the account's own base where that is wished, or not at all. */
export async function shownStart(input: Input, { preview, start }: Asks): Promise<Answer | undefined> {
  let request: Input = { ...input, useOwnBase: input.useOwnBase ?? false };
  for (;;) {
    const shown = await preview(request);
    // What nobody has been shown is not started, whatever kept it from being shown.
    if (shown.status !== 200) return shown;
    const plan = shown.body as ShownPlan;
    process.stdout.write(`${render(formatPlan(plan))}\n`);
    const answer = await choose(plan);
    if (answer === "cancel") return undefined;
    if (answer === "with" || answer === "without") request = { ...request, useOwnBase: answer === "with" };
    else {
      const started = await reportOnInterrupt(start({ ...request, planHash: plan.planHash }));
      if (started.status !== 409 || !isOtherPlan(started)) return started;
      process.stdout.write("The market has moved and the plan has changed:\n");
    }
  }
}

/** The text of a change, and the question after it. */
export interface ShownChange {
  formatAs(plan: unknown): Readonly<Record<string, string>>;
  readonly question: string;
  /** Ctrl-C then waits for the result. */
  readonly isStart?: true;
}

/** The same of a change of what runs: what is cancelled and placed is shown, and exactly that is approved. */
export async function confirmEdit(
  input: Input,
  values: Values,
  { preview, start: send, formatAs, question, isStart }: Asks & ShownChange,
): Promise<Answer | undefined> {
  const start = (approved: Input) => (isStart ? reportOnInterrupt(send(approved)) : send(approved));
  if (isApproved(input, values)) return start(input);
  for (;;) {
    const shown = await preview(input);
    if (shown.status !== 200) return shown;
    process.stdout.write(`${render(formatAs(shown.body))}\n`);
    const { planHash } = shown.body as { readonly planHash: string };
    const { isCancel, confirm } = await import("@clack/prompts");
    const answer = await confirm({ message: question, inactive: isStart ? "Cancel" : "No" });
    if (isCancel(answer) || !answer) return undefined;
    const changed = await start({ ...input, planHash });
    if (changed.status !== 409 || !isOtherPlan(changed)) return changed;
    process.stdout.write("The market has moved and the plan has changed:\n");
  }
}

const isOtherPlan = ({ body }: Answer): boolean =>
  /planHash no longer holds/.test((body as { message?: string }).message ?? "");

type Choice = "yes" | "with" | "without" | "cancel";

/** The first choice is highlighted: it never sells base that the account already has. */
async function choose(plan: ShownPlan): Promise<Choice> {
  // Load the prompts only for a question: most commands have none.
  const { isCancel, select } = await import("@clack/prompts");
  const answer = await select({ message: "Start this grid?", options: choicesFor(plan) });
  return isCancel(answer) ? "cancel" : answer;
}

function choicesFor({ config, ownBaseUsed, free }: ShownPlan): { value: Choice; label: string }[] {
  const base = config.symbol.split("/")[0];
  const cancel = { value: "cancel" as const, label: "Cancel" };
  if (ownBaseUsed !== "0")
    return [
      { value: "without", label: `Without my ${base}` },
      { value: "yes", label: `Yes, and sell ${ownBaseUsed} ${base} of my own` },
      cancel,
    ];
  const own = decimal(free.base) > ZERO ? [{ value: "with" as const, label: `With my ${base}` }] : [];
  return [{ value: "yes", label: "Yes" }, ...own, cancel];
}
