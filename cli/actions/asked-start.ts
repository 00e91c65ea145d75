import type { Answer } from "../../src/transport/run.ts";
import type { Values } from "../terminal/arguments.ts";
import { render } from "../terminal/output.ts";
import { planTold, type ShownPlan } from "./plan-told.ts";
import { toldOnInterrupt } from "./told-on-interrupt.ts";

type Input = Readonly<Record<string, unknown>>;

interface Asks {
  preview(input: Input): Promise<Answer>;
  start(input: Input): Promise<Answer>;
}

/**
 * Starts a grid. Where there is somebody to ask and something to lose, the plan is shown first, and exactly that is
 * started: when the market has made another of it meanwhile, that one is shown. Undefined when the answer is to start
 * nothing.
 */
export async function askedStart(
  input: Input,
  { json, yes }: Values,
  { preview, start }: Asks,
): Promise<Answer | undefined> {
  const isShown = input.planHash !== undefined;
  if (json || yes || isShown || input.dryRun || !isAtTerminal()) return toldOnInterrupt(start(input));
  return shownStart(input, { preview, start });
}

/** Whether there is somebody to ask. */
export const isAtTerminal = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY);

/** Shows the plan until it is started as it was shown, without the account's own base where that is wished, or not at all. */
export async function shownStart(input: Input, { preview, start }: Asks): Promise<Answer | undefined> {
  let asked: Input = { ...input, useOwnBase: input.useOwnBase ?? true };
  for (;;) {
    const shown = await preview(asked);
    // What nobody has been shown is not started, whatever kept it from being shown.
    if (shown.status !== 200) return shown;
    const plan = shown.body as ShownPlan;
    process.stdout.write(`${render(planTold(plan))}\n`);
    const answer = await choose(plan);
    if (answer === "cancel") return undefined;
    if (answer === "without") asked = { ...asked, useOwnBase: false };
    else {
      const started = await toldOnInterrupt(start({ ...asked, planHash: plan.planHash }));
      if (started.status !== 409 || !isOtherPlan(started)) return started;
      process.stdout.write("The market has moved, and the plan with it:\n");
    }
  }
}

/** How a change is shown, and what is asked then. */
export interface ShownChange {
  toldAs(plan: unknown): Readonly<Record<string, string>>;
  readonly question: string;
}

/** The same of a change of what runs: what is cancelled and placed is shown, and exactly that is approved. */
export async function askedEdit(
  input: Input,
  { json, yes }: Values,
  { preview, start, toldAs, question }: Asks & ShownChange,
): Promise<Answer | undefined> {
  if (json || yes || input.planHash !== undefined || !isAtTerminal()) return start(input);
  for (;;) {
    const shown = await preview(input);
    if (shown.status !== 200) return shown;
    process.stdout.write(`${render(toldAs(shown.body))}\n`);
    const { planHash } = shown.body as { readonly planHash: string };
    const { isCancel, confirm } = await import("@clack/prompts");
    const answer = await confirm({ message: question });
    if (isCancel(answer) || !answer) return undefined;
    const changed = await start({ ...input, planHash });
    if (changed.status !== 409 || !isOtherPlan(changed)) return changed;
    process.stdout.write("The market has moved, and the plan with it:\n");
  }
}

const isOtherPlan = ({ body }: Answer): boolean =>
  /planHash no longer holds/.test((body as { message?: string }).message ?? "");

async function choose({ config, ownBaseUsed }: ShownPlan): Promise<"yes" | "without" | "cancel"> {
  // Loaded when somebody is asked: most commands never ask.
  const { isCancel, select } = await import("@clack/prompts");
  const base = config.symbol.split("/")[0];
  const without = ownBaseUsed === "0" ? [] : [{ value: "without" as const, label: `Without my ${base}` }];
  const answer = await select({
    message: "Start this grid?",
    options: [
      { value: "yes" as const, label: "Yes" },
      ...without,
      { value: "cancel" as const, label: "Cancel" },
    ],
  });
  return isCancel(answer) ? "cancel" : answer;
}
