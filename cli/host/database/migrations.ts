import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type SchemaAfter, schemaParts } from "../../../src/adapters/libsql/client/backup.ts";
import { type Context, createContext } from "../../../src/adapters/libsql/client/context.ts";
import {
  type Migration,
  migrate,
  type WholeSchema,
  wholeSchemaOf,
} from "../../../src/adapters/libsql/client/migrate.ts";
import { safeClient } from "../../../src/adapters/libsql/client/safe-client.ts";
import { packageFolder } from "../locations.ts";
import { nodeLocal } from "../process/node-local.ts";
import { fileConnection } from "./file-connection.ts";

export function readMigrations(): Migration[] {
  const folder = join(packageFolder(), "drizzle");
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.sort().map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
}

/** Returns the schema that the build stored for these migrations; undefined if it stored none, or for others. */
export function builtSchema(migrations: readonly Migration[]): WholeSchema | undefined {
  const file = new URL("schema.json", import.meta.url);
  if (!existsSync(file)) return undefined;
  const { of, whole } = JSON.parse(readFileSync(file, "utf8")) as BuiltSchema;
  return of === textsHash(migrations) ? whole : undefined;
}

export interface BuiltSchema {
  /** Hash of the migrations' texts. */
  readonly of: string;
  readonly whole: WholeSchema;
}

/** Returns the schema for the build, from all migrations on a database in memory. */
export async function madeSchema(): Promise<BuiltSchema> {
  const migrations = readMigrations();
  return { of: textsHash(migrations), whole: await migratedInMemory(migrations, wholeSchemaOf) };
}

/** Returns the schema of a database after these migrations. */
export const schemaAfter: SchemaAfter = (migrations) =>
  migratedInMemory(migrations, ({ client }) => schemaParts(client));

async function migratedInMemory<T>(
  migrations: readonly Migration[],
  read: (context: Pick<Context, "client">) => Promise<T>,
): Promise<T> {
  const context = createContext(await safeClient(fileConnection(":memory:"), nodeLocal));
  try {
    await migrate(context, migrations);
    return await read(context);
  } finally {
    context.client.close();
  }
}

const textsHash = (migrations: readonly Migration[]): string =>
  createHash("sha256").update(JSON.stringify(migrations)).digest("hex");
