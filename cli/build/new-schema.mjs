import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { root } from "./current.cjs";

/**
 * Returns the schema of a new database: what all migrations together create, as SQLite stores it, and their names.
 * @returns {{ names: string[], statements: string[] }}
 */
export function newSchema(folder = join(root, "drizzle")) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  names.sort();
  const database = new Database(":memory:");
  try {
    for (const name of names) database.exec(readFileSync(join(folder, name), "utf8"));
    const parts = database.prepare(
      "select sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by rowid",
    );
    return { names, statements: parts.all().map(({ sql }) => sql) };
  } finally {
    database.close();
  }
}
