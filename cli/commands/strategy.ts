import type { CommandDef } from "citty";
import * as z from "zod";
import { startOptions } from "../../src/lifecycle/operations/start.ts";
import { type Operation, operation } from "../../src/operation.ts";
import { ownConfig } from "../../src/own/schema/shapes.ts";
import type { AnyStrategyDefinition } from "../../src/ports/definition.ts";
import { DATABASE_ARGS, LOCAL_DATABASE_ARGS, STRATEGIES_ARG } from "../host/settings.ts";
import { switchFlag, textFlag, UsageError } from "../terminal/arguments.ts";
import { command } from "../terminal/command.ts";
import { fieldArgs } from "./operation.ts";

const FOLDER_ARGS = { ...STRATEGIES_ARG, json: LOCAL_DATABASE_ARGS.json } as const;

/** Commands for the files of the user's own strategies. The other ones of the group are operations. */
export const strategyFileCommands = {
  new: command({
    name: "strategy new",
    description: "Write the file of a new strategy, with a test",
    examples: ["edgemaker strategy new my-strategy"],
    args: {
      name: { type: "positional", description: "Name, in a-z, 0-9 and - (or --name)", required: false },
      ...FOLDER_ARGS,
    },
    run: async (values) => (await import("../actions/actions.ts")).writeStrategy(values),
  }),
  check: command({
    name: "strategy check",
    description: "Load your own strategies and check their types; exit code 1 if one has a mistake",
    examples: ["edgemaker strategy check"],
    args: FOLDER_ARGS,
    run: async (values) => (await import("../actions/actions.ts")).checkStrategies(values),
  }),
};

export const deployCommand = command({
  name: "deploy",
  description: "Deploy a Cloudflare Worker with the strategies of this project; needs wrangler",
  examples: ["edgemaker deploy --dry"],
  args: {
    dry: switchFlag("Only build it, and show its size"),
    ...FOLDER_ARGS,
  },
  run: async (values) => (await import("../actions/actions.ts")).deployWorker(values),
});

/** Returns the command that runs a definition through the sandbox with crashes and lost responses. */
export function strategyTestCommand(definition: AnyStrategyDefinition, ids: readonly string[]): CommandDef {
  const tested = testedOperation(definition, ids);
  const { exchange, symbol, ...flags } = fieldArgs(tested);
  const own = new Set([...Object.keys(DATABASE_ARGS), "api-url", "token"]);
  return command({
    name: `strategy test ${definition.name}`,
    description: `Run the strategy ${definition.name} in the sandbox with crashes, lost responses and failed reads; exit code 1 if something breaks`,
    examples: [`edgemaker strategy test ${definition.name} --seed 7`],
    args: {
      ...Object.fromEntries(Object.entries(flags).filter(([name]) => !own.has(name))),
      exchange: textFlag("Simulated exchange (default kraken)", "exchange"),
      symbol: textFlag("Trading pair of the sandbox (default BTC/USDT)", "pair"),
      data: textFlag("CSV file with candles; default: random prices", "file"),
      passes: textFlag("Number of passes, one minute apart (default 300)", "number"),
      seed: textFlag("Seed of prices and faults (default 1)", "number"),
    },
    run: async (values) => (await import("../actions/actions.ts")).testStrategy(tested, definition, values),
  });
}

/** Describes the flags of the command; no interface serves it. */
const testedOperation = (definition: AnyStrategyDefinition, ids: readonly string[]): Operation =>
  operation({
    name: `test_strategy_${definition.name.replaceAll("-", "_")}`,
    summary: `Run the strategy ${definition.name} in the sandbox`,
    effect: "read",
    access: "token",
    failure: "Start failed",
    http: { route: "POST /", from: "body" },
    cli: { path: `strategy test ${definition.name}` },
    input() {
      const { exchange, symbol, dryRun: _, dryBalance: _b, ...options } = startOptions(ids);
      return z.object({ exchange, symbol, ...ownConfig(definition).shape, ...options }).partial({
        exchange: true,
        symbol: true,
      });
    },
    output: () => z.unknown(),
    run: async () => undefined,
  });

const fileOf = (file: unknown, what: string): string => {
  if (file === undefined) throw new UsageError(`name the file: edgemaker db ${what} <file>`);
  return String(file);
};

const idOf = ({ strategy }: { strategy: { id: string } }): string => strategy.id;

export const dbCommand = command({
  name: "db",
  description: "Migrate, back up, restore and prune the database",
  subCommands: {
    backup: command({
      name: "db backup",
      description: "Write a consistent copy of the database, even while a server is running",
      args: {
        file: { type: "positional", description: "File to write (or --file)", required: false },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) =>
        (await import("../actions/actions.ts")).backUp(values, fileOf(values.file, "backup")),
    }),
    restore: command({
      name: "db restore",
      description: "Restore a backup; the replaced database stays next to it",
      args: {
        file: { type: "positional", description: "Backup to restore (or --file)", required: false },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) =>
        (await import("../actions/actions.ts")).restore(values, fileOf(values.file, "restore")),
    }),
    migrate: command({
      name: "db migrate",
      description: "Migrate a database to this version, before you deploy it",
      args: {
        url: textFlag("Database: libsql://<host> or file:<path>; same as --db", "url"),
        dry: switchFlag("Only show what would be applied"),
        yes: switchFlag("Also if an older server's heartbeat is recent: it is stopped"),
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).migrateDatabase(values),
    }),
    prune: command({
      name: "db prune",
      description: "Move old orders, events and samples to one archive file per year",
      args: {
        before: textFlag("Only rows older than this day (default: one year ago)", "day"),
        "dry-run": switchFlag("Only show what would be moved"),
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).prune(values),
    }),
    restored: command({
      name: "db restored",
      description:
        "Declare that the database was restored by other means, so that strategies look for later orders",
      args: LOCAL_DATABASE_ARGS,
      run: async (values) => {
        const { withDatabase } = await import("../actions/actions.ts");
        return withDatabase(values, async ({ store }) => {
          await store.nextEpoch();
          return { restored: true, running: (await store.strategies({ stopped: false })).map(idOf) };
        });
      },
    }),
  },
});
