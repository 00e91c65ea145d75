import { fileConnection, readMigrations } from "../../cli/host/file-connection.ts";
import { createContext } from "../../src/storage/client/context.ts";
import { type Migration, migrate } from "../../src/storage/client/migrate.ts";
import { safeClient } from "../../src/storage/client/safe-client.ts";
import { virtualLocal } from "./local.ts";

/** The program's migrations. */
export const eachMigration: readonly Migration[] = readMigrations();

/** The same names, where the last one creates the schema of all at once, in a third of their time. */
export const migrations: readonly Migration[] = await atOnce();

async function atOnce(): Promise<readonly Migration[]> {
  const client = await safeClient(fileConnection(":memory:"), virtualLocal(0).local);
  await migrate(createContext(client), eachMigration);
  const { rows } = await client.execute(
    "select sql from sqlite_master where sql is not null and name not like 'sqlite_%' and tbl_name <> 'migrations' order by rowid",
  );
  client.close();
  const schema = rows.map((row) => String(row[0])).join("--> statement-breakpoint");
  return eachMigration.map(({ name }, at) => ({
    name,
    text: at === eachMigration.length - 1 ? schema : "select 1",
  }));
}
