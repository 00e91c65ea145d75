import { decimal, ZERO } from "../../src/kernel/decimal.ts";
import { noLongerHolds } from "../../src/kernel/errors.ts";
import type { Answer } from "../../src/transport/run.ts";
import type { Values } from "../terminal/arguments.ts";
import { render } from "../terminal/output.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { formatPlan, type ShownPlan, sellsAtOnce } from "./plan-text.ts";
import { reportOnInterrupt, type StartedGroup } from "./report-on-interrupt.ts";

type Input = Readonly<Record<string, unknown>>;

interface Asks {
  preview(input: Input): Promise<Answer>;
  start(input: Input): Promise<Answer>;
  /** Whether the exchanges are simulated, where a fast market would change each plan before it is confirmed. */
  readonly isSimulated?: boolean | undefined;
}

/**
 * Starts a grid. In a terminal it shows the plan first, and starts exactly that; if the market has changed the plan
 * meanwhile, it shows the new one. Undefined if the user declines.
 */
export const confirmStart = (input: Input, values: Values, asks: Asks): Promise<Answer | undefined> =>
  isApproved(input, values)
    ? reportOnInterrupt(asks.start(input), "grid", values)
    : shownStart(input, values, asks);

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
export async function shownStart(input: Input, values: Values, asks: Asks): Promise<Answer | undefined> {
  let request: Input = { ...input, useOwnBase: input.useOwnBase ?? false };
  for (;;) {
    const shown = await asks.preview(request);
    // Never start a plan that was not shown, whatever prevented it.
    if (shown.status !== 200) return shown;
    const plan = shown.body as ShownPlan;
    process.stdout.write(`${render(formatPlan(plan))}\n`);
    const answer = await choose(plan);
    if (answer === "cancel") return undefined;
    if (answer === "with" || answer === "without") request = { ...request, useOwnBase: answer === "with" };
    else {
      const start = (approved: Input) => reportOnInterrupt(asks.start(approved), "grid", values);
      const started = await startPlan(request, plan, { ...asks, start });
      if (started) return started;
      process.stdout.write("The market has moved and the plan has changed:\n");
    }
  }
}

/** A plan with its price: of a grid, or of quotes. */
type PricedPlan = Pick<ShownPlan, "planHash"> & {
  readonly marketPrice?: number;
  readonly reference?: number;
};

/** Largest move, as a share, after which a simulated start still counts as the plan that was shown. */
const SMALL_MOVE = 0.02;
const MOST_TRIES = 20;

/**
 * Starts a plan. Returns undefined if the market has changed it. On simulated exchanges it follows small moves, because
 * at high speed no plan would hold long enough to be read.
 */
export async function startPlan(
  input: Input,
  shown: PricedPlan,
  { preview, start, isSimulated = false }: Asks,
): Promise<Answer | undefined> {
  let plan = shown;
  for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
    const started = await start({ ...input, planHash: plan.planHash });
    if (started.status !== 409 || !isOtherPlan(started)) return started;
    const next = isSimulated ? await preview(input) : undefined;
    if (next?.status !== 200) return undefined;
    plan = next.body as PricedPlan;
    const [price, before] = [planPrice(plan), planPrice(shown)];
    if (!isNear(price, before)) return undefined;
    process.stdout.write(`The simulated price has moved from ${before} to ${price}; the start follows it.\n`);
  }
  return undefined;
}

const planPrice = ({ marketPrice, reference }: PricedPlan) => marketPrice ?? reference;

const isNear = (price: number | undefined, before: number | undefined): boolean =>
  price !== undefined && before !== undefined && Math.abs(price / before - 1) <= SMALL_MOVE;

/** The text of a change, and its confirmation question. */
export interface ShownChange {
  formatAs(plan: unknown): Readonly<Record<string, string>>;
  readonly question: string;
  /** For a start, what it starts; Ctrl-C then waits for the result. */
  readonly starts?: StartedGroup;
}

interface ShownChangePlan {
  readonly warnings?: readonly { readonly code: string }[];
}

/** Does the same for a change of a running strategy: shows canceled and new orders, and executes exactly that. */
export async function confirmEdit(
  input: Input,
  values: Values,
  { preview, start: send, isSimulated, formatAs, question, starts }: Asks & ShownChange,
): Promise<Answer | undefined> {
  const start = (approved: Input) =>
    starts ? reportOnInterrupt(send(approved), starts, values) : send(approved);
  if (isApproved(input, values)) return start(input);
  for (;;) {
    const shown = await preview(input);
    if (shown.status !== 200) return shown;
    process.stdout.write(`${render(formatAs(shown.body))}\n`);
    const { isCancel, confirm } = await import("@clack/prompts");
    const initialValue = !(shown.body as ShownChangePlan).warnings?.some(sellsAtOnce);
    const answer = await confirm({ message: question, inactive: starts ? "Cancel" : "No", initialValue });
    if (isCancel(answer) || !answer) return undefined;
    const changed = await startPlan(input, shown.body as PricedPlan, { preview, start, isSimulated });
    if (changed) return changed;
    process.stdout.write("The market has moved and the plan has changed:\n");
  }
}

const isOtherPlan = ({ body }: Answer): boolean =>
  (body as { message?: string }).message === noLongerHolds().message;

type StartChoice = "yes" | "with" | "without" | "cancel";

/** Asks what to do with the plan. The default choice never sells base that the account already has. */
async function choose(plan: ShownPlan): Promise<StartChoice> {
  // Load the prompts only for a question, because most commands have none.
  const { isCancel, select } = await import("@clack/prompts");
  const answer = await select({ message: "Start this grid?", options: choicesFor(plan) });
  return isCancel(answer) ? "cancel" : answer;
}

function choicesFor({ config, ownBaseUsed, free }: ShownPlan): { value: StartChoice; label: string }[] {
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
