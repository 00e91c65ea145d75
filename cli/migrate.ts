import { createContext } from "../src/adapters/libsql/context.ts";
import { pendingMigrations } from "../src/adapters/libsql/migrate.ts";
import { safeClient } from "../src/adapters/libsql/safe-client.ts";
import { createDeps } from "../src/deps.ts";
import type { Values } from "./arguments.ts";
import { createLog, nodeLocal, nodeRuntime } from "./node-runtime.ts";
import { print } from "./output.ts";
import { readSettings } from "./settings.ts";

/** Brings a database to the version of this program; with `dry` only tells what it lacks. */
export async function migrateDatabase({ url, dry, ...values }: Values): Promise<number> {
  const asked = url === undefined ? values : { ...values, db: url };
  const { config, databaseUrl, sandbox } = readSettings(asked, process.env);
  const runtime = nodeRuntime(databaseUrl, config, createLog("error"));
  const client = await safeClient(runtime.client, nodeLocal);
  const pending = await pendingMigrations(createContext(client), runtime.migrations);
  const names = pending.map(({ name }) => name);
  if (!dry) {
    const deps = await createDeps(config, runtime, sandbox);
    deps.close();
  } else client.close();
  return print(values, { database: databaseUrl, [dry ? "pending" : "applied"]: names });
}
