import type { PlannedEditAnswer } from "../../src/lifecycle/plan.ts";
import { editText, SELLS_AT_ONCE } from "../../src/lifecycle/plan-view.ts";
import type { Answer } from "../../src/transport/run.ts";
import { readSettings } from "../host/settings.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { inputOf, refuseForeignFlags } from "../terminal/fields.ts";
import type { EditCommand } from "../terminal/forms.ts";
import { render } from "../terminal/output.ts";
import { fail, misreadOf, withJson, withoutConfig } from "../terminal/refused.ts";
import { type Asks, isApproved, startPlan } from "./plan-confirmation.ts";
import { openAnswering, remoteOf, warnWithoutServer } from "./run-operation.ts";

type EditInput = Readonly<Record<string, unknown>>;

/** Changes a strategy as its command's flags describe. Returns the exit code. */
export async function runEdit(forms: readonly EditCommand[], typed: Values): Promise<number> {
  const values = withJson(typed);
  const settings = readSettings(values, process.env);
  const [first] = forms;
  if (!first) throw new UsageError("no strategy is loaded that can be changed");
  const unnamed = misreadOf(first.flat, { id: values.id });
  if (unnamed) return fail(unnamed, { operation: first.flat, values });
  const remote = await remoteOf(settings, values);
  const { ask, deps, close } = await openAnswering(settings, remote);
  try {
    const found = await formOfStrategy(forms, values, (status, input) => ask(status, input));
    if ("status" in found) return fail(found, { remote, values });
    const { flat, preview, edit } = found.one;
    const given = inputOf(flat, values);
    const misread = misreadOf(flat, given);
    if (misread) return fail(misread, { operation: flat, values });
    const { id, name, planHash, ...config } = given;
    const options = {
      id,
      ...(name === undefined ? {} : { name }),
      ...(planHash === undefined ? {} : { planHash }),
    };
    const isRename = name !== undefined && Object.keys(config).length === 0;
    const edited = isRename
      ? await ask(edit, options)
      : await confirmEdit({ ...options, config }, values, {
          one: found.one,
          preview: ({ planHash: _, name: _name, ...request }) => ask(preview, request),
          start: (request) => ask(edit, { ...request }),
          isSimulated: settings.config.sandbox,
        });
    if (edited === undefined) return 1;
    if (edited.status !== 200) return fail(withoutConfig(edited), { remote, operation: flat, values });
    const { body } = edited;
    const shown = values.json ? JSON.stringify(body, null, 2) : render(edit.cli?.view?.(body) ?? body);
    process.stdout.write(`${shown}\n`);
    await warnWithoutServer(settings, deps, values);
    return 0;
  } finally {
    close();
  }
}

/**
 * Returns the form of the strategy's definition, or why it could not be read. Throws UsageError if a flag is of
 * another definition.
 */
async function formOfStrategy(
  forms: readonly EditCommand[],
  values: Values,
  ask: (status: EditCommand["status"], input: Record<string, unknown>) => Promise<Answer>,
): Promise<{ readonly one: EditCommand } | Answer> {
  const [first, ...others] = forms as readonly [EditCommand, ...EditCommand[]];
  if (others.length === 0) return { one: first };
  const answer = await ask(first.status, { id: values.id });
  if (answer.status !== 200) return answer;
  const { id, definition } = answer.body as { readonly id: string; readonly definition: string };
  const one = forms.find(({ form }) => form.definition === definition);
  if (!one) throw new UsageError(`${id} is of the definition ${definition}, which is not loaded here`);
  refuseForeignFlags(one, forms, values, `${definition}, the definition of ${id}`);
  return { one };
}

type EditAsks = Asks & { readonly one: Pick<EditCommand, "form" | "kind"> };

/**
 * Changes a strategy. In a terminal it shows canceled and new orders first, and makes exactly that change. Undefined if
 * the user declines.
 */
export async function confirmEdit(
  input: EditInput,
  values: Values,
  { one, preview, start, isSimulated }: EditAsks,
): Promise<Answer | undefined> {
  if (isApproved(input, values)) return start(input);
  for (;;) {
    const shown = await preview(input);
    if (shown.status !== 200) return shown;
    const plan = shown.body as PlannedEditAnswer;
    process.stdout.write(`${render(editText(plan, one.kind))}\n`);
    const { isCancel, confirm } = await import("@clack/prompts");
    const initialValue = !plan.warnings.some(({ code }) => code === SELLS_AT_ONCE);
    const answer = await confirm({ message: `Change ${plan.id}?`, initialValue });
    if (isCancel(answer) || !answer) return undefined;
    const changed = await startPlan(input, plan, { preview, start, isSimulated });
    if (changed) return changed;
    process.stdout.write("The market has moved and the plan has changed:\n");
  }
}
