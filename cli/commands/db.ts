import { LOCAL_DATABASE_ARGS } from "../host/settings.ts";
import { switchFlag, textFlag } from "../terminal/arguments.ts";
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

const idOf = ({ strategy }: { strategy: { id: string } }): string => strategy.id;
