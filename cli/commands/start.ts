import type { CommandDef } from "citty";
import * as z from "zod";
import { idField, planHash } from "../../src/kernel/fields.ts";
import { startables, startOptions } from "../../src/lifecycle/operations/start.ts";
import { ID_EXAMPLE } from "../../src/model/strategy.ts";
import { type Operation, operation } from "../../src/operation.ts";
import { withoutDefault } from "../../src/own/schema/shapes.ts";
import type { ConfigForm } from "../../src/ports/config-form.ts";
import type { Kind } from "../../src/ports/kind.ts";
import { command } from "../terminal/command.ts";
import type { FormCommand } from "../terminal/forms.ts";
import { fieldArgs, PROFILE_ARGS, START_YES_ARGS } from "./operation.ts";

type Verb = "start" | "preview";

/** Returns the commands that preview and start each form of a definition, by path. */
export function startCommands(
  forms: readonly FormCommand[],
): readonly (readonly [path: string, made: CommandDef])[] {
  return forms.flatMap((one) =>
    (["preview", "start"] as const).flatMap((verb) => {
      const path = `${verb} ${one.form.word}`;
      const other = one.form.synonym?.(verb);
      const others = other === undefined ? [] : [other];
      return [path, ...others].map((name) => [name, formCommand(verb, one, name, path)] as const);
    }),
  );
}

/** Returns every form that can be started, with its operations. */
export function formCommands(
  operations: readonly Operation[],
  ids: readonly string[],
  kinds: readonly Kind[],
): readonly FormCommand[] {
  const named = (name: string) => operations.find((one) => one.name === name);
  const [preview, start] = [named("preview_strategy"), named("start_strategy")];
  if (!preview || !start) return [];
  return startables(kinds).flatMap(({ kind, forms }) =>
    forms.map((form) => ({ form, kind, flat: flatOf(form, start, ids), preview, start })),
  );
}

/** Returns the commands that show and start a strategy with the settings of another one, by path. */
export function cloneCommands(
  operations: readonly Operation[],
  forms: readonly FormCommand[],
): readonly (readonly [path: string, made: CommandDef])[] {
  const status = operations.find(({ name }) => name === "get_strategy");
  if (!status) return [];
  const clones = forms.map((one) => ({ ...one, flat: flatClone(one) }));
  return (["preview", "start"] as const).map((verb) => {
    const path = verb === "start" ? "clone" : `${verb} clone`;
    const said = verb === "preview" ? { planHash: "" } : {};
    const flags = () => clones.map(({ flat }) => fieldArgs(flat, said, undefined, path)).reverse();
    const made = command({
      name: path,
      description:
        verb === "start"
          ? "Start a strategy with the settings of another one, except those that you set"
          : "Show orders, cost and worst case of a strategy with the settings of another one",
      examples: [`edgemaker ${path} ${ID_EXAMPLE} --exchange mexc`],
      args: () => ({ ...Object.assign({}, ...flags()), ...(verb === "start" ? START_YES_ARGS : {}) }),
      run: async (values) => (await import("../actions/start.ts")).runClone(verb, clones, status, values),
    });
    return [path, made] as const;
  });
}

/** Returns the flags of a start, none of them required. */
function flatClone({ form, flat, start }: FormCommand): Operation {
  const { defaults: _, ...cli } = flat.cli ?? { path: "" };
  return operation({
    name: start.name,
    summary: start.summary,
    effect: "read",
    access: "token",
    failure: start.failure,
    http: start.http,
    cli: { ...cli, path: `clone ${form.word}`, positional: ["id"] },
    input: () =>
      z.object({
        id: idField("Invalid request").describe("Strategy whose settings it takes; it can have stopped"),
        ...Object.fromEntries(
          Object.entries(flat.input.shape as z.ZodRawShape).map(([name, field]) => [
            name,
            withoutDefault(field as z.ZodType)
              .optional()
              .describe((field as z.ZodType).description ?? ""),
          ]),
        ),
      }),
    output: () => z.unknown(),
    run: async () => undefined,
  });
}

function flatOf(form: ConfigForm, start: Operation, ids: readonly string[]): Operation {
  const { config, fixed = {}, flags = {}, parts = {}, defaults = {}, takesBudget } = form;
  return operation({
    name: start.name,
    summary: `Start ${form.what}`,
    effect: "read",
    access: "token",
    failure: start.failure,
    http: start.http,
    cli: { path: `start ${form.word}`, flags, parts, defaults, steps: true },
    input() {
      const { exchange, symbol, baseBudget, quoteBudget, ...options } = startOptions(ids);
      const own = Object.entries(config().shape as z.ZodRawShape).filter(
        ([name]) => !Object.hasOwn(fixed, name),
      );
      const budget = takesBudget ? { baseBudget, quoteBudget } : {};
      return z.object({
        exchange,
        symbol,
        ...Object.fromEntries(own),
        ...budget,
        ...options,
        planHash: planHash(),
      });
    },
    output: () => z.unknown(),
    run: async () => undefined,
  });
}

function formCommand(verb: Verb, one: FormCommand, name: string, path: string): CommandDef {
  const { form, flat } = one;
  const said = verb === "preview" ? { planHash: "" } : {};
  return command({
    name,
    description: verb === "start" ? `Start ${form.what}` : `Show orders, cost and worst case of ${form.what}`,
    sameAs: name === path ? undefined : path,
    examples: [`edgemaker ${name} ${form.example}`],
    args: () => ({
      ...fieldArgs(flat, said, undefined, form.synonym?.(verb) ?? name),
      ...(form.takesProfile ? PROFILE_ARGS : {}),
      ...(verb === "start" ? START_YES_ARGS : {}),
    }),
    run: async (values) => (await import("../actions/start.ts")).runForm(verb, one, values),
  });
}
