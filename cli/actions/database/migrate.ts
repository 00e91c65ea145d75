import { createDeps } from "../../../src/compose/deps.ts";
import { createContext } from "../../../src/storage/client/context.ts";
import { pendingMigrations } from "../../../src/storage/client/migrate.ts";
import { safeClient } from "../../../src/storage/client/safe-client.ts";
import { shownUrl } from "../../host/locations.ts";
import { createLog, nodeRuntime } from "../../host/node-runtime.ts";
import { nodeLocal } from "../../host/process/node-local.ts";
import { readSettings } from "../../host/settings.ts";
import type { Values } from "../../terminal/arguments.ts";
import { print } from "../../terminal/output.ts";

/** Migrates a database to this program's version; `dry` only shows the missing migrations. */
export async function migrateDatabase({ url, dry, ...values }: Values): Promise<number> {
  const request = url === undefined ? values : { ...values, db: url };
  const { config, databaseUrl, sandbox } = readSettings(request, process.env);
  const runtime = nodeRuntime(databaseUrl, config, createLog("error"));
  const client = await safeClient(runtime.client, nodeLocal);
  const pending = await pendingMigrations(createContext(client), runtime.migrations);
  const names = pending.map(({ name }) => name);
  if (!dry) {
    const deps = await createDeps(config, runtime, sandbox);
    deps.close();
  } else client.close();
  return print(values, { database: shownUrl(databaseUrl), [dry ? "pending" : "applied"]: names });
}
