import type { Operation } from "../../src/operation.ts";
import type { Answer } from "../../src/transport/run.ts";
import type { Values } from "../terminal/arguments.ts";
import { render } from "../terminal/output.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { isAtTerminal } from "./confirm-start.ts";

interface ShownFirst {
  /** Operation whose response is shown before the question. */
  readonly shown: Operation | undefined;
  readonly ask: (operation: Operation, input: Record<string, unknown>) => Promise<Answer>;
}

/**
 * Returns whether to make a call that cannot be undone: with --yes, or after a confirmation in a terminal. Throws if it
 * needs one and there is no terminal.
 */
export async function confirmFinal(
  { cli }: Operation,
  input: Readonly<Record<string, unknown>>,
  values: Values,
  { shown, ask }: ShownFirst,
): Promise<boolean> {
  const message = cli?.final?.question(input);
  if (message === undefined || values.yes) return true;
  if (values.json || !isAtTerminal())
    throw new UsageError("this cannot be undone, and nobody can confirm it: add --yes");
  if (shown) {
    const fields = Object.entries(input).filter(([field]) => Object.hasOwn(shown.input.shape, field));
    const { status, body } = await ask(shown, Object.fromEntries(fields));
    if (status === 200) process.stdout.write(`${render(shown.cli?.view?.(body) ?? body)}\n`);
  }
  const { isCancel, confirm } = await import("@clack/prompts");
  const answer = await confirm({ message, initialValue: false });
  return !isCancel(answer) && answer;
}
