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
 * Starts a grid. In a terminal it shows the plan first, and starts exactly that; if the market has changed the plan
 * meanwhile, it shows the new one. Undefined if the user declines.
 */
export const confirmStart = (
  input: Input,
  values: Values,
  { preview, start }: Asks,
): Promise<Answer | undefined> =>
  isApproved(input, values) ? reportOnInterrupt(start(input)) : shownStart(input, { preview, start });

/** Returns whether the start needs no confirmation. Throws if it needs one and there is no terminal. */
function isApproved(input: Input, { json, yes }: Values): boolean {
  if (yes || input.planHash !== undefined || input.dryRun) return true;
  if (json || !isAtTerminal())
    throw new UsageError(
      "this can place or cancel orders, and nobody can confirm the plan: add --yes, or the --plan-hash of a preview",
    );
  return false;
}

/** Returns whether a user can answer at a terminal. */
export const isAtTerminal = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY);

/** Shows the plan until the user starts it, starts it with the account's own base, or declines. */
export async function shownStart(input: Input, { preview, start }: Asks): Promise<Answer | undefined> {
  let request: Input = { ...input, useOwnBase: input.useOwnBase ?? false };
  for (;;) {
    const shown = await preview(request);
    // Never start a plan that was not shown, whatever prevented it.
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

/** The text of a change, and its confirmation question. */
export interface ShownChange {
  formatAs(plan: unknown): Readonly<Record<string, string>>;
  readonly question: string;
  /** Makes Ctrl-C wait for the result. */
  readonly isStart?: true;
}

/** Does the same for a change of a running strategy: shows canceled and new orders, and executes exactly that. */
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

/** Asks what to do with the plan. The default choice never sells base that the account already has. */
async function choose(plan: ShownPlan): Promise<Choice> {
  // Load the prompts only for a question, because most commands have none.
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
