import { LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import { command } from "../terminal/command.ts";
import { UsageError } from "../terminal/usage-error.ts";

const fileOf = (file: unknown, what: string): string => {
  if (file === undefined) throw new UsageError(`name the file: edgemaker db ${what} <file>`);
  return String(file);
};

export const dbCommand = command({
  name: "db",
  description: "Migrate, back up, restore and prune the database",
  subCommands: {
    backup: command({
      name: "db backup",
      description: "Write a consistent copy of the database file, also while a server works on it",
      args: {
        file: { type: "positional", description: "File to write (or --file)", required: false },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) =>
        (await import("../actions/actions.ts")).backUp(values, fileOf(values.file, "backup")),
    }),
    restore: command({
      name: "db restore",
      description: "Put a backup in the database's place; the replaced one is kept beside it",
      args: {
        file: { type: "positional", description: "Backup to restore (or --file)", required: false },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) =>
        (await import("../actions/actions.ts")).restore(values, fileOf(values.file, "restore")),
    }),
    migrate: command({
      name: "db migrate",
      description: "Bring a database to the version of this program, before a deployment that uses it",
      args: {
        url: {
          type: "string",
          description: "Database: libsql://<host> or file:<path>; the same as --db",
          valueHint: "url",
        },
        dry: { type: "boolean", description: "Only tell what would be applied" },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).migrateDatabase(values),
    }),
    prune: command({
      name: "db prune",
      description:
        "Move old orders without a fill, events and liquidity samples into a file a year beside it",
      args: {
        before: {
          type: "string",
          description: "Only what is older than this day (default: a year ago)",
          valueHint: "day",
        },
        "dry-run": { type: "boolean", description: "Only tell what would be moved" },
        ...LOCAL_DATABASE_ARGS,
      },
      run: async (values) => (await import("../actions/actions.ts")).prune(values),
    }),
    restored: command({
      name: "db restored",
      description: "Say that the database was restored by other means, so that grids look for later orders",
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

const idOf = ({ strategy }: { strategy: { id: string } }): string => strategy.id;
