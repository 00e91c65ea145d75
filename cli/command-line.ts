import { type CommandDef, runCommand } from "citty";
import { pastDefinitions } from "../src/backtest/operations/backtest.ts";
import { refuseUnknownSettings } from "../src/compose/config.ts";
import { messageOf, SettingsError } from "../src/kernel/errors.ts";
import { rootCommand, settingsForCommands } from "./commands/root.ts";
import { readSecretFiles } from "./host/secret-files.ts";
import { keySettingsOf, lackingFolder } from "./host/settings.ts";
import { type Args, findCommand, readValues, UsageError, type Values } from "./terminal/arguments.ts";
import type { Meta } from "./terminal/command.ts";
import { assumeWidth, styled, terminalColumns, wrap } from "./terminal/style.ts";

/**
 * Runs a command line and returns its exit code: 0 success, 1 the operation failed, 2 the command line was wrong, 3 a
 * grid is stalled.
 */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  assumeWidth();
  try {
    const words = argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
    nameStrategies(words);
    readSecretFiles(process.env, (env) =>
      settingsForCommands(env).exchanges.flatMap(({ id }) => keySettingsOf(id)),
    );
    const root = await rootOf(words);
    const { command: found, path, rest, help } = findCommand(root, words);
    if (help) return printText(helpOf(found, path, terminalColumns()));
    if (path.length === 0 && words.length === 0 && process.stdin.isTTY && process.stdout.isTTY) {
      const chosen = await (await import("./actions/menu.ts")).askForCommand();
      return chosen ? await runCommandLine(chosen) : 0;
    }
    if (found.subCommands && !found.run)
      throw new UsageError(
        path.length === 0 ? "name a command" : `name a sub-command of ${path.join(" ")}`,
        helpOf(found, path, terminalColumns()),
      );
    refuseUnknownSettings(process.env);
    const args = (found.args ?? {}) as Args;
    const values = readValues(args, rest, path);
    await settleFolder(args, values);
    const { result } = await runCommand(found, { rawArgs: [], data: values });
    return (result as number | undefined) ?? 0;
  } catch (error) {
    return failStart(error, argv.includes("--json"));
  }
}

/** Applies the strategies flag before parsing, because it determines the available commands. */
function nameStrategies(words: readonly string[]): void {
  const index = words.indexOf("--strategies");
  const inOne = words.find((word) => word.startsWith("--strategies="));
  const folder = inOne?.slice("--strategies=".length) ?? (index < 0 ? undefined : words[index + 1]);
  if (folder !== undefined) process.env.EDGEMAKER_STRATEGIES = folder;
}

/** Groups whose commands need the definitions of the user's own strategies. */
const LOADING: ReadonlySet<string> = new Set(["strategy", "tick", "definitions", "resume", "edit", "clone"]);

/** Returns the commands. Only commands that run the user's own strategies load their files. */
async function rootOf([group, word = "-"]: readonly string[]) {
  const { exchanges, strategies } = settingsForCommands(process.env);
  const ids = exchanges.map(({ id }) => id);
  const isOwn = OF_DEFINITIONS.has(group ?? "") && !word.startsWith("-") && !isBuiltIn(word);
  if (!isOwn && !LOADING.has(group ?? "")) return rootCommand(ids);
  const { describedStrategies, strategiesIn } = await import("./host/own-strategies.ts");
  // Others run passes as a server does: no file runs in their process.
  const isRunHere = isOwn || ["strategy", "edit", "clone"].includes(group ?? "");
  const own = isRunHere ? strategiesIn(strategies) : await describedStrategies(strategies);
  return rootCommand(ids, own.definitions);
}

/** Groups whose word can be a definition of the user's own. */
const OF_DEFINITIONS: ReadonlySet<string> = new Set(["backtest", "start", "preview"]);

const isBuiltIn = (word: string): boolean =>
  pastDefinitions().some(({ forms }) => forms.some((form) => form.word === word));

/** Loads the documents that the Worker's build stores. */
export const documents = () => import("./host/worker-strategies.ts");

/** Asks before a command creates a folder that could be a typing error. */
async function settleFolder({ db }: Args, values: Values): Promise<void> {
  const lacking = db === undefined || db.isOnlyRead ? undefined : lackingFolder(values, process.env);
  if (lacking) await (await import("./actions/actions.ts")).askForFolder(lacking, values);
}

function printText(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function failStart(error: unknown, asJson: boolean): number {
  const isUsage = error instanceof UsageError || error instanceof SettingsError;
  if (asJson) {
    const output = { error: isUsage ? "Usage error" : "Failed", message: messageOf(error) };
    process.stderr.write(`${JSON.stringify(output)}\n`);
    return isUsage ? 2 : 1;
  }
  const usage = error instanceof UsageError && error.usage ? `\n\n${error.usage}` : "";
  process.stderr.write(`edgemaker: ${messageOf(error)}${usage}\n`);
  return isUsage ? 2 : 1;
}

type HelpRow = readonly [name: string, description: string];

/** Flags that most commands share; help lists them last. */
const SHARED_FLAGS = new Set(["db", "sandbox", "seed", "venue-url", "json", "api-url", "token"]);

const GUIDES: Readonly<Record<string, string>> = {
  grid: "grids",
  quote: "quotes",
  liquidity: "liquidity",
  agreement: "liquidity",
  backtest: "backtest",
  replay: "backtest",
  suggest: "suggest",
  candles: "candles",
  report: "report",
  disposals: "report",
  notify: "alerts",
  limits: "limits",
  kill: "stop-everything",
  panic: "stop-everything",
  exchange: "exchanges",
  db: "backup",
  page: "page",
  serve: "deploy",
  mcp: "mcp",
  plans: "mcp",
  audit: "security",
  cost: "scale",
  compare: "prices",
  dex: "prices",
  trade: "grids",
  tick: "deploy",
  token: "security",
  strategy: "strategies",
  deploy: "deploy",
  quality: "quality",
};

/** Formats the help of a command in `width` columns: description, usage, arguments, flags and examples. */
export function helpOf(found: CommandDef, path: readonly string[], width: number): string {
  const { description = "", examples = [], groups } = (found.meta ?? {}) as Meta;
  const args = Object.entries((found.args ?? {}) as Args);
  const words = args.filter(([, { type }]) => type === "positional");
  const flags = args.filter(([, { type }]) => type !== "positional");
  const own = flags.filter(([flag]) => !SHARED_FLAGS.has(flag));
  const common = flags.filter(([flag]) => SHARED_FLAGS.has(flag));
  const commands = Object.entries((found.subCommands ?? {}) as Record<string, CommandDef>);
  const name = ["edgemaker", ...path].join(" ");
  const usage = [
    name,
    ...words.map(([word]) => `[${word}]`),
    ...(commands.length > 0 ? [found.run ? "[command]" : "<command>"] : []),
    ...(flags.length > 0 ? ["[flags]"] : []),
  ].join(" ");
  const sections = [
    wrap(description, width).join("\n"),
    `${title("Usage")} ${usage}`,
    section(
      "Arguments",
      words.map(([word, { description: output = "" }]) => [word, output]),
      width,
    ),
    ...commandSections(commands, groups, width),
    section("Flags", own.map(flagRow), width),
    section(own.length > 0 ? "Common flags" : "Flags", common.map(flagRow), width),
    flags.some(([, { type }]) => type === "boolean")
      ? wrap("Flags without a value can also be true or false: --flag false or --no-flag.", width).join("\n")
      : "",
    examples.length > 0
      ? `${title("Examples")}\n${examples.map((example) => exampleLines(example, width)).join("\n")}`
      : "",
    commands.length > 0 ? `Run ${name} <command> --help for details.` : "",
    GUIDES[path[0] ?? ""] ? `Guide: edgemaker docs ${GUIDES[path[0] ?? ""]}` : "",
  ];
  return sections.filter((text) => text !== "").join("\n\n");
}

/** Returns a section for each group, or one for all commands. */
function commandSections(
  commands: readonly (readonly [string, CommandDef])[],
  groups: Meta["groups"],
  width: number,
): string[] {
  if (!groups) return [section("Commands", commands.map(commandRow), width)];
  const rows = new Map(commands.map((entry) => [entry[0], commandRow(entry)]));
  const widest = Math.max(...[...rows.values()].map(([name]) => name.length));
  return Object.entries(groups).map(([head, names]) =>
    section(
      head,
      names.flatMap((name) => {
        const row = rows.get(name);
        return row ? [row] : [];
      }),
      width,
      widest,
    ),
  );
}

/** Formats an example for a shell; a long one continues after a backslash. */
function exampleLines(example: string, width: number): string {
  const parts = example.split(/ (?=--)/);
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length + 5 <= width)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(`${lines.length === 0 ? "  " : "    "}${part}`);
  }
  return lines.join(" \\\n");
}

const title = (text: string): string => styled("bold", `${text}:`);

function commandRow([name, found]: readonly [string, CommandDef]): HelpRow {
  const { alias = [], description = "" } = (found.meta ?? {}) as Meta;
  return [[name, ...[alias].flat()].join(", "), description];
}

function flagRow([name, { type, valueHint, description = "" }]: readonly [string, Args[string]]): HelpRow {
  return [type === "boolean" ? `--${name}` : `--${name} <${valueHint ?? "text"}>`, description];
}

/** Formats two columns; in a narrow terminal, each description is below its name. */
function section(
  head: string,
  rows: readonly HelpRow[],
  width: number,
  widest = Math.max(...rows.map(([name]) => name.length)),
): string {
  if (rows.length === 0) return "";
  const left = width - widest - 4;
  const lines = rows.flatMap(([name, description]) =>
    left >= 30
      ? wrap(description, left).map((line, index) => `  ${(index === 0 ? name : "").padEnd(widest)}  ${line}`)
      : [`  ${name}`, ...wrap(description, width - 6).map((line) => `      ${line}`)],
  );
  return `${title(head)}\n${lines.map((line) => line.trimEnd()).join("\n")}`;
}
