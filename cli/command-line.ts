import { runCommand } from "citty";
import { refuseUnknownSettings } from "../src/compose/setting-names.ts";
import { messageOf, SettingsError } from "../src/kernel/errors.ts";
import { rootCommand, settingsForCommands } from "./commands/root.ts";
import { lackingFolder } from "./host/settings.ts";
import { type Args, findCommand, readValues, type Values } from "./terminal/arguments.ts";
import { helpOf } from "./terminal/help.ts";
import { terminalColumns } from "./terminal/style.ts";
import { UsageError } from "./terminal/usage-error.ts";

/**
 * Runs a command line and returns its exit code: 0 success, 1 the operation failed, 2 the command line was wrong, 3 a
 * grid is stalled.
 */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  try {
    const words = argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
    nameStrategies(words);
    const root = await rootOf(words);
    const { command: found, path, rest, help } = findCommand(root, words);
    if (help) return printText(helpOf(found, path, terminalColumns()));
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

/** Returns the commands; includes the user's own strategies if one of them is called. */
async function rootOf([group]: readonly string[]) {
  const { exchanges, strategies } = settingsForCommands(process.env);
  const ids = exchanges.map(({ id }) => id);
  if (group !== "strategy" && group !== "completion") return rootCommand(ids);
  const { strategiesIn } = await import("./host/strategies/load.ts");
  return rootCommand(ids, strategiesIn(strategies).definitions);
}

/** Loads the documents that the Worker's build stores. */
export const documents = () => import("./host/worker-documents.ts");

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
