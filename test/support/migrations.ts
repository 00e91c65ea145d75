import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { madeSchema } from "../../cli/host/database/migrations.ts";
import type { Migration } from "../../src/adapters/libsql/client/migrate.ts";

const folder = fileURLToPath(new URL("../../drizzle/", import.meta.url));

export const migrations: readonly Migration[] = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .sort()
  .map((name) => ({ name, text: readFileSync(`${folder}${name}`, "utf8") }));

/** A new database gets the schema at once, which equals that of all migrations (whole-schema.test.ts). */
export const { whole } = await madeSchema();
