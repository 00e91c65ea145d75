import type { CommandDef } from "citty";
import * as z from "zod";
import { idField, planHash, strategyName } from "../../src/kernel/fields.ts";
import { type Operation, operation } from "../../src/operation.ts";
import type { ConfigForm } from "../../src/ports/config-form.ts";
import type { Kind } from "../../src/ports/kind.ts";
import type { Args } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import type { EditCommand } from "../terminal/forms.ts";
import { fieldArgs, YES_ARGS } from "./operation.ts";

/** Returns the commands that change a strategy, by path: of each kind, and `edit` of all of them. */
export function editCommands(
  operations: readonly Operation[],
  kinds: readonly Kind[],
): readonly (readonly [path: string, made: CommandDef])[] {
  const named = (name: string) => operations.find((one) => one.name === name);
  const [status, preview, edit] = [named("get_strategy"), named("preview_edit"), named("edit_strategy")];
  if (!status || !preview || !edit) return [];
  const groups = kinds.map((kind) => ({
    group: kind.group,
    forms: kind.definitions.map(({ editForm: form }) => ({
      form,
      kind,
      flat: flatEdit(form, edit),
      status,
      preview,
      edit,
    })),
  }));
  const all = groups.flatMap(({ forms }) => forms);
  return [
    ["edit", editCommand("edit", all)],
    ...groups.map(({ group, forms }) => [`${group} edit`, editCommand(`${group} edit`, forms)] as const),
  ];
}

function flatEdit({ config, word, flags = {} }: ConfigForm, edit: Operation): Operation {
  return operation({
    name: edit.name,
    summary: edit.summary,
    effect: "read",
    access: "token",
    failure: edit.failure,
    http: edit.http,
    cli: { path: `edit ${word}`, positional: ["id"], flags, steps: true },
    input: () =>
      z.object({
        id: idField("Invalid request").describe("Strategy id"),
        ...(config().shape as z.ZodRawShape),
        name: strategyName().describe("New name; `rename` also removes it"),
        planHash: planHash(),
      }),
    output: () => z.unknown(),
    run: async () => undefined,
  });
}

const editCommand = (path: string, forms: readonly EditCommand[]): CommandDef =>
  command({
    name: path,
    description: "Change a running strategy, after showing the plan; only the flags that you set change",
    sameAs: path === "edit" ? undefined : "edit",
    examples: forms.map(({ form }) => `edgemaker ${path} ${form.example}`),
    args: () => ({ ...argsOf(path, forms), ...YES_ARGS }),
    run: async (values) => (await import("../actions/edit.ts")).runEdit(forms, values),
  });

/** Returns the flags of all forms; one that several have is described once. */
const argsOf = (path: string, forms: readonly EditCommand[]): Args =>
  Object.assign({}, ...forms.map(({ flat }) => fieldArgs(flat, {}, undefined, path)).reverse());
