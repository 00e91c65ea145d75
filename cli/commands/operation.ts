import type { CommandDef } from "citty";
import { text } from "../../src/kernel/decimal.ts";
import { fieldKinds } from "../../src/kernel/field-kinds.ts";
import type { Operation } from "../../src/operation.ts";
import { DATABASE_ARGS, LOCAL_DATABASE_ARGS, STRATEGIES_ARG } from "../host/settings.ts";
import { type Args, switchFlag, textFlag, type Values } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { argName, kebab, partName } from "../terminal/fields.ts";

/** Flags of every command that calls an operation. */
export const CALL_ARGS = {
  json: switchFlag("Print the response as JSON"),
  "api-url": textFlag("Call this server instead of the local one", "url"),
  token: textFlag("API token for --api-url; @FILE or - (standard input) keeps it out of ps", "token"),
} as const satisfies Args;

const WATCH_ARGS = {
  watch: switchFlag("Refresh every two seconds until Ctrl-C"),
} as const satisfies Args;

const UNTIL_ARGS = {
  wait: textFlag("Seconds without a change until it gives up (default 60)", "seconds"),
} as const satisfies Args;

export const YES_ARGS = {
  yes: switchFlag("Skip the confirmation; scripts need this"),
} as const satisfies Args;

/** Paper trading spends nothing, so its start asks for no confirmation. */
export const START_YES_ARGS = {
  yes: switchFlag("Skip the confirmation; scripts need this, except with --dry-run"),
} as const satisfies Args;

/** Flags of a centered grid. */
export const PROFILE_ARGS = {
  "grid-profile": textFlag("JSON file with a profile; its values override the matching flags", "file"),
} as const satisfies Args;

const COLUMNS_ARG = {
  columns: textFlag("Columns to show, in this order, with commas; all shows every column", "names"),
} as const satisfies Args;

const formatArg = ({ csv, html }: Operation): Args => {
  if (!csv) return {};
  const description = `csv${html ? ", or html for a page in one file" : ""}`;
  return { format: { type: "string", description, valueHint: html ? "csv|html" : "csv" } };
};

/** A command whose name sets some of its fields. */
interface Word {
  readonly path: string;
  readonly summary: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly fields?: readonly string[];
  readonly final?: NonNullable<Operation["cli"]>["final"];
  readonly sameAs?: string;
}

/**
 * Returns an operation as a command: its fields are the flags, with the schema's descriptions. A terminal can show others
 * of these operations first, or beside it.
 */
export function operationCommand(
  operation: Operation,
  word?: Word,
  operations: readonly Operation[] = [],
): CommandDef {
  const final = word?.final ?? operation.cli?.final;
  const named = (name: string) => operations.find((one) => one.name === name);
  const preview = named(operation.cli?.final?.shows ?? "");
  return command({
    name: word?.path ?? operation.cli?.path ?? operation.name,
    description: word?.summary ?? operation.summary,
    alias: operation.cli?.alias,
    sameAs: word?.sameAs,
    examples: examplesOf(operation, word),
    args: () => ({
      ...fieldArgs(operation, word?.input, word?.fields, word?.path),
      ...(preview || final ? YES_ARGS : {}),
    }),
    run: async (values) => {
      const called = calledFor(operation, values);
      const { runOperation } = await import("../actions/run-operation.ts");
      return runOperation(called, values, { said: saidIn(called, word), preview, final, named });
    },
  });
}

/** Returns the operation that a command calls: `status` without an id is one of all strategies. */
const calledFor = (operation: Operation, values: Values): Operation => {
  const { without, positional = [] } = operation.cli ?? {};
  return without && positional.every((field) => values[field] === undefined) ? without : operation;
};

/** Returns the input that a command's name sets, without fields that its operation does not have. */
const saidIn = ({ input }: Operation, word: Word | undefined) =>
  word && Object.fromEntries(Object.entries(word.input).filter(([field]) => field in input.shape));

/** Returns the examples of this command, without those of the operation's other commands. */
function examplesOf({ cli }: Operation, word: Word | undefined): readonly string[] | undefined {
  const others = Object.keys(cli?.words ?? {});
  const isOf = (example: string) =>
    word ? example.includes(word.path) : !others.some((path) => example.includes(path));
  return cli?.examples?.filter(isOf);
}

/** Commands besides those of the user's own strategies that load their files. */
const LOADS_STRATEGIES: ReadonlySet<string> = new Set([
  "definitions",
  "resume",
  "edit",
  "clone",
  "preview clone",
]);

/** Returns a flag or argument for each field that is not set already. */
export function fieldArgs(
  operation: Operation,
  said: Word["input"] = {},
  fields: Word["fields"] = Object.keys(operation.input.shape),
  path = operation.cli?.path ?? "",
): Args {
  const { cli } = operation;
  const kinds = fieldKinds(operation);
  const open = fields.filter((field) => !Object.hasOwn(said, field));
  const named = [
    ...open.filter((field) => isRequired(operation, field)),
    ...open.filter((field) => !isRequired(operation, field)),
  ];
  const flags = named.map((field): [string, Args[string]] => {
    const name = argName(operation, field);
    const aka = name === kebab(field) ? {} : { aka: kebab(field) };
    const description = describe(operation, field);
    if (cli?.positional?.includes(field))
      return [
        name,
        { type: "positional", description: `${description} (or --${name})`, required: false, ...aka },
      ];
    const opposite = cli?.opposites?.[field];
    if (kinds[field] === "boolean")
      return [name, { type: "boolean", ...aka, ...withOpposite(description, opposite) }];
    return [name, { type: "string", description, valueHint: kinds[field] ?? "text", ...aka }];
  });
  const parts = named.flatMap((field) =>
    Object.entries(cli?.parts?.[field] ?? {}).map(([part, description]): [string, Args[string]] => [
      partName(operation, field, part),
      { type: "string", description, valueHint: "number" },
    ]),
  );
  const watch = cli?.watch ? WATCH_ARGS : {};
  const format = formatArg(operation);
  const columns = cli?.columns ? COLUMNS_ARG : {};
  const until = cli?.until ? UNTIL_ARGS : {};
  return {
    ...Object.fromEntries([...flags, ...parts]),
    ...until,
    ...(path.startsWith("strategy ") || LOADS_STRATEGIES.has(path) ? STRATEGIES_ARG : {}),
    ...watch,
    ...columns,
    ...format,
    ...(cli?.isLocal ? LOCAL_DATABASE_ARGS : { ...DATABASE_ARGS, ...CALL_ARGS }),
  };
}

/** Names the flag that sets a switch to false, if it has one. */
const withOpposite = (description: string, opposite: string | undefined) =>
  opposite === undefined
    ? { description }
    : { description: `${description}; --${opposite} is the opposite`, opposite };

interface FieldSchema {
  readonly description?: string;
  safeParse(value: unknown): { success: boolean; data?: unknown };
}

const isRequired = ({ cli, input }: Operation, field: string): boolean =>
  cli?.defaults?.[field] === undefined &&
  cli?.without === undefined &&
  cli?.parts?.[field] === undefined &&
  !(input.shape[field] as FieldSchema).safeParse(undefined).success;

function describe(operation: Operation, field: string): string {
  const { cli, input } = operation;
  const schema = input.shape[field] as FieldSchema;
  const parsed = schema.safeParse(undefined);
  const fallback = cli?.defaults?.[field] ?? (parsed.success ? parsed.data : undefined);
  const shown = typeof fallback === "bigint" ? text(fallback) : String(fallback);
  const output =
    cli?.without !== undefined
      ? "(default all running ones)"
      : fallback !== undefined
        ? `(default ${shown})`
        : isRequired(operation, field)
          ? "(required)"
          : "";
  return [schema.description ?? "", output].filter(Boolean).join(" ");
}
