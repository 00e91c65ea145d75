import type * as z from "zod";
import { decimal, ZERO } from "../../src/kernel/decimal.ts";
import type { StartedStrategyShape } from "../../src/lifecycle/operations/start.ts";
import type { PlanAnswer } from "../../src/lifecycle/plan.ts";
import { mostText, planText } from "../../src/lifecycle/plan-view.ts";
import type { Operation } from "../../src/operation.ts";
import { type ConfigForm, configForm } from "../../src/ports/config-form.ts";
import type { Answer } from "../../src/transport/run.ts";
import { type CliSettings, readSettings } from "../host/settings.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { inputOf, kebab, refuseForeignFlags } from "../terminal/fields.ts";
import { type FormCommand, nestedStart } from "../terminal/forms.ts";
import { render } from "../terminal/output.ts";
import { fail, misreadOf, withJson, withoutConfig } from "../terminal/refused.ts";
import { profiledInput } from "./grid-profile.ts";
import { type Asks, isApproved, startPlan } from "./plan-confirmation.ts";
import { reportOnInterrupt } from "./report-on-interrupt.ts";
import { openAnswering, remoteOf, warnWithoutServer } from "./run-operation.ts";

type FlagInput = Readonly<Record<string, unknown>>;
export type StartedResponse = z.output<ReturnType<typeof StartedStrategyShape>>;

/** Shows or starts what a command's flags describe. Returns the exit code. */
export async function runForm(verb: "start" | "preview", one: FormCommand, given: Values): Promise<number> {
  const values = withJson(given);
  const settings = readSettings(values, process.env);
  const { input, misread } = formInput(one, values);
  if (misread) return fail(misread, { operation: one.flat, values });
  const remote = await remoteOf(settings, values);
  const answering = await openAnswering(settings, remote);
  try {
    return await showOrStart(verb, one, input, { values, settings, remote, answering });
  } finally {
    answering.close();
  }
}

/**
 * Shows or starts a strategy with the settings of another one, except those that the flags set. Returns the exit code.
 */
export async function runClone(
  verb: "start" | "preview",
  forms: readonly FormCommand[],
  status: Operation,
  given: Values,
): Promise<number> {
  const values = withJson(given);
  const settings = readSettings(values, process.env);
  const { id } = values;
  const unnamed = misreadOf(status, { id });
  if (unnamed) return fail(unnamed, { operation: status, values });
  const remote = await remoteOf(settings, values);
  const answering = await openAnswering(settings, remote);
  try {
    const found = await answering.ask(status, { id });
    if (found.status !== 200) return fail(found, { remote, values });
    const { startAgain } = found.body as { readonly startAgain: StartAgain };
    const [first, ...others] = forms
      .map(({ form }) => form)
      .filter(({ definition }) => definition === startAgain.definition);
    if (!first) throw new UsageError(`the definition of ${id} is not loaded here`);
    const { definition: _, config, ...options } = startAgain;
    const form = configForm([first, ...others], config);
    const one = forms.find((other) => other.form === form) as FormCommand;
    refuseForeignFlags(one, forms, values, `${id}, which is ${form.what}`);
    const { id: _id, ...changed } = inputOf(one.flat, values);
    if (typeof changed.symbol === "string") checkBudgets(startAgain, changed.symbol, changed);
    const input = { ...options, ...clonedConfig(form, config, changed) };
    const misread = misreadOf(one.start, nestedStart(form, input));
    if (misread) return fail(withoutConfig(misread), { operation: one.flat, values });
    return await showOrStart(verb, one, input, { values, settings, remote, answering });
  } finally {
    answering.close();
  }
}

interface StartAgain {
  readonly definition: string;
  readonly symbol: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly baseBudget?: number;
  readonly quoteBudget?: number;
}

/**
 * Returns the other strategy's config with the changes. A change of a part, such as `--trail-up`, leaves the other parts.
 */
function clonedConfig(
  { config: schema, fixed = {}, parts = {} }: ConfigForm,
  config: FlagInput,
  changed: FlagInput,
) {
  const own = Object.entries(config).filter(([name]) => !Object.hasOwn(fixed, name));
  const whole = Object.entries(changed).map(([name, value]) => [
    name,
    Object.hasOwn(parts, name) ? { ...(config[name] as object | undefined), ...(value as object) } : value,
  ]);
  // An absent flag means true over HTTP, and false on the command line. The settings are those of HTTP.
  const usesBase = Object.hasOwn(schema().shape, "useOwnBase") ? { useOwnBase: true } : {};
  return { ...usesBase, ...Object.fromEntries(own), ...Object.fromEntries(whole) };
}

/** Throws UsageError if a budget would count in another asset. */
function checkBudgets(
  { symbol, baseBudget, quoteBudget }: StartAgain,
  next: string,
  changed: FlagInput,
): void {
  const [before, after] = [symbol.split("/"), next.toUpperCase().split("/")];
  for (const [at, name, budget] of [
    [0, "baseBudget", baseBudget],
    [1, "quoteBudget", quoteBudget],
  ] as const)
    if (budget !== undefined && changed[name] === undefined && before[at] !== after[at])
      throw new UsageError(
        `--${kebab(name)} is missing: the budget of the other strategy is ${budget} ${before[at]}`,
      );
}

interface CalledStart {
  readonly values: Values;
  readonly settings: CliSettings;
  readonly remote: Awaited<ReturnType<typeof remoteOf>>;
  readonly answering: Awaited<ReturnType<typeof openAnswering>>;
}

async function showOrStart(
  verb: "start" | "preview",
  one: FormCommand,
  input: FlagInput,
  { values, settings, remote, answering: { ask, deps } }: CalledStart,
): Promise<number> {
  const { flat, preview, start } = one;
  const refuse = (answer: Answer) => fail(withoutConfig(answer), { remote, operation: flat, values });
  if (verb === "preview") {
    const { planHash: _, ...shown } = input;
    const answer = await ask(preview, nestedStart(one.form, shown));
    return answer.status === 200 ? printPlan(answer.body as PlanAnswer, one, values) : refuse(answer);
  }
  const started = await confirmStart(input, values, {
    one,
    preview: (request) => ask(preview, nestedStart(one.form, request)),
    start: (request) => ask(start, nestedStart(one.form, request)),
    isSimulated: settings.config.sandbox,
  });
  if (started === undefined) return 1;
  if (started.status !== 200) return refuse(started);
  printStarted(started.body as StartedResponse, values);
  await warnWithoutServer(settings, deps, values);
  return 0;
}

/** Returns the input that flags and a profile stand for, or why it is invalid. */
export function formInput({ form, flat, start }: FormCommand, values: Values, usual: FlagInput = {}) {
  return profiledInput(flat, values, { ...usual }, (input) => {
    const misread = misreadOf(start, nestedStart(form, input));
    return misread && withoutConfig(misread);
  });
}

/** Prints a plan, and how to start it. */
export function printPlan(
  plan: PlanAnswer,
  { kind }: Pick<FormCommand, "kind">,
  { json }: Values,
  how = `--plan-hash ${plan.planHash} starts exactly this plan`,
): number {
  const base = plan.symbol.split("/")[0];
  const own = plan.uses.base === "0" ? "" : `; it can use ${plan.uses.base} ${base} of your own`;
  const shown = { ...planText(plan, kind), "to start": `${how}${own}` };
  process.stdout.write(`${json ? JSON.stringify(plan, null, 2) : render(shown)}\n`);
  return 0;
}

export function printStarted(started: StartedResponse, { json }: Values): void {
  process.stdout.write(`${json ? JSON.stringify(started, null, 2) : render(startedText(started))}\n`);
}

/** Describes a started strategy: its market, and the most that it can use. */
function startedText({ id, message, definition, exchange, symbol, uses, warnings }: StartedResponse) {
  const [base = "", quote = ""] = symbol.split("/");
  const notes = warnings.filter(({ code }) => code !== "own_base_used");
  return {
    strategy: id,
    message,
    market: `${definition} on ${symbol} at ${exchange}`,
    "at most": mostText({ uses }, { base, quote }),
    ...(notes.length > 0 ? { "but note": notes.map(({ message: text }) => text).join("; ") } : {}),
  };
}

export type StartAsks = Asks & { readonly one: Pick<FormCommand, "form" | "kind"> };

/**
 * Starts a strategy. In a terminal it shows the plan first, and starts exactly that; if the market has changed the plan
 * meanwhile, it shows the new one. Undefined if the user declines.
 */
export const confirmStart = (
  input: FlagInput,
  values: Values,
  asks: StartAsks,
): Promise<Answer | undefined> =>
  isApproved(input, values) ? reportOnInterrupt(asks.start(input), values) : shownStart(input, values, asks);

/** Shows the plan until the user starts it, starts it with the account's own base, or declines. */
export async function shownStart(
  input: FlagInput,
  values: Values,
  asks: StartAsks,
): Promise<Answer | undefined> {
  const { form, kind } = asks.one;
  const asksForBase = Object.hasOwn(form.config().shape, "useOwnBase");
  let request: FlagInput = asksForBase ? { ...input, useOwnBase: input.useOwnBase ?? false } : input;
  for (;;) {
    const shown = await asks.preview(request);
    // Never start a plan that was not shown, whatever prevented it.
    if (shown.status !== 200) return shown;
    const plan = shown.body as PlanAnswer;
    process.stdout.write(`${render(planText(plan, kind))}\n`);
    const answer = await choose(plan, `Start ${form.what}?`, asksForBase);
    if (answer === "cancel") return undefined;
    if (answer === "with" || answer === "without") request = { ...request, useOwnBase: answer === "with" };
    else {
      const start = (approved: FlagInput) => reportOnInterrupt(asks.start(approved), values);
      const started = await startPlan(request, plan, { ...asks, start });
      if (started) return started;
      process.stdout.write("The market has moved and the plan has changed:\n");
    }
  }
}

type StartChoice = "yes" | "with" | "without" | "cancel";

/** Asks what to do with the plan. The default choice never sells base that the account already has. */
async function choose(plan: PlanAnswer, message: string, asksForBase: boolean): Promise<StartChoice> {
  // Load the prompts only for a question, because most commands have none.
  const { isCancel, select } = await import("@clack/prompts");
  const answer = await select({ message, options: choicesFor(plan, asksForBase) });
  return isCancel(answer) ? "cancel" : answer;
}

function choicesFor(
  { symbol, uses, free }: PlanAnswer,
  asksForBase: boolean,
): { value: StartChoice; label: string }[] {
  const base = symbol.split("/")[0];
  const cancel = { value: "cancel" as const, label: "Cancel" };
  if (!asksForBase) return [{ value: "yes", label: "Yes" }, cancel];
  if (uses.base !== "0")
    return [
      { value: "without", label: `Without my ${base}` },
      { value: "yes", label: `Yes, and sell ${uses.base} ${base} of my own` },
      cancel,
    ];
  const own = decimal(free.base) > ZERO ? [{ value: "with" as const, label: `With my ${base}` }] : [];
  return [{ value: "yes", label: "Yes" }, ...own, cancel];
}
