import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Migration } from "../../src/adapters/libsql/client/migrate.ts";

const folder = fileURLToPath(new URL("../../drizzle/", import.meta.url));

export const migrations: readonly Migration[] = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .sort()
  .map((name) => ({ name, text: readFileSync(`${folder}${name}`, "utf8") }));
