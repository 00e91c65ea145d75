import { type CommandDef, renderUsage, runCommand } from "citty";
import { parseConfig } from "../src/config.ts";
import { messageOf, SettingsError } from "../src/errors.ts";
import type { Operation } from "../src/operation.ts";
import { createOperations } from "../src/operations.ts";
import { type Args, findCommand, readValues } from "./arguments.ts";
import { command } from "./command.ts";
import { dbCommand } from "./db-commands.ts";
import { demoCommand } from "./demo-command.ts";
import { exchangeCommand } from "./exchange-commands.ts";
import { mcpCommand } from "./mcp-command.ts";
import { operationCommand } from "./operation-command.ts";
import { sandboxCommand } from "./sandbox-commands.ts";
import { serveCommand } from "./serve-command.ts";
import { tokenCommand } from "./token-commands.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

const GROUPS: Readonly<Record<string, string>> = {
  orders: "List, place and cancel orders",
  grid: "Start, watch and stop grids",
  kill: "One switch that lets no order be placed",
  dex: "Prices and pools of Cardano tokens",
  plans: "Decide on what agents want to trade",
};

/** Runs a command line and returns its exit code: 0 done, 1 the operation failed, 2 the command line was wrong. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const root = rootCommand();
    if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) return print(version());
    const { command: found, path, rest, help } = findCommand(root, argv);
    if (help) return print(await usage(found, path));
    if (found.subCommands && !found.run)
      throw new UsageError(
        path.length === 0 ? "name a command" : `name a sub-command of ${path.join(" ")}`,
        await usage(found, path),
      );
    const values = readValues((found.args ?? {}) as Args, rest);
    const { result } = await runCommand(found, { rawArgs: [], data: values });
    return (result as number | undefined) ?? 0;
  } catch (error) {
    return fail(error);
  }
}

function rootCommand(): CommandDef {
  const commands: Record<string, CommandDef> = { serve: serveCommand, demo: demoCommand };
  for (const operation of createOperations(parseConfig(process.env).exchanges.map(({ id }) => id)))
    add(commands, operation);
  return command({
    name: "edgemaker",
    description: "One interface over four crypto exchanges, and grids that trade on them",
    subCommands: {
      ...commands,
      mcp: mcpCommand,
      exchange: exchangeCommand,
      db: dbCommand,
      token: tokenCommand,
      sandbox: sandboxCommand,
    },
  });
}

/** `grid start` is the command `start` of the group `grid`. */
function add(commands: Record<string, CommandDef>, operation: Operation): void {
  if (!operation.cli) return;
  const { path, words } = operation.cli;
  const [group = "", name] = path.split(" ");
  if (words) {
    for (const [word, { summary, input }] of Object.entries(words))
      addTo(commands, group, word, operationCommand(operation, { path: `${path} ${word}`, summary, input }));
    return;
  }
  if (name === undefined) {
    commands[group] = operationCommand(operation);
    return;
  }
  addTo(commands, group, name, operationCommand(operation));
}

function addTo(commands: Record<string, CommandDef>, group: string, name: string, made: CommandDef): void {
  commands[group] ??= command({ name: group, description: GROUPS[group] ?? group, subCommands: {} });
  (commands[group].subCommands as Record<string, CommandDef>)[name] = made;
}

async function usage(found: CommandDef, path: readonly string[]): Promise<string> {
  const meta = { ...(found.meta as object), name: ["edgemaker", ...path].join(" ") };
  return renderUsage({ ...found, meta });
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function fail(error: unknown): number {
  const isUsage = error instanceof UsageError || error instanceof SettingsError;
  const usage = error instanceof UsageError && error.usage ? `\n\n${error.usage}` : "";
  process.stderr.write(`edgemaker: ${messageOf(error)}${usage}\n`);
  return isUsage ? 2 : 1;
}
