import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type SchemaAfter, schemaParts } from "../../../src/storage/client/backup.ts";
import { createContext } from "../../../src/storage/client/context.ts";
import { type Migration, migrate, type NewSchema } from "../../../src/storage/client/migrate.ts";
import { safeClient } from "../../../src/storage/client/safe-client.ts";
import { packageFolder } from "../locations.ts";
import { nodeLocal } from "../process/node-local.ts";
import { fileConnection } from "./file-connection.ts";

export function readMigrations(): Migration[] {
  const folder = join(packageFolder(), "drizzle");
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.sort().map((name) => ({
    name,
    // Read on use: most databases lack no migration.
    get text() {
      return readFileSync(join(folder, name), "utf8");
    },
  }));
}

/** Returns the schema of a new database that the build stored; undefined without a build. */
export function readNewSchema(): NewSchema | undefined {
  const file = new URL("schema.json", import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/** Returns the schema of a database after these migrations. */
export const schemaAfter: SchemaAfter = async (migrations) => {
  const context = createContext(await safeClient(fileConnection(":memory:"), nodeLocal));
  try {
    await migrate(context, migrations);
    return await schemaParts(context.client);
  } finally {
    context.client.close();
  }
};
