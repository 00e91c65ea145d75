import { sql } from "drizzle-orm";
import { messageOf, SettingsError, StoreError } from "../../kernel/errors.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Local } from "../../ports/local.ts";
import type { Tracer } from "../../ports/tracer.ts";
import { control } from "../tables/tables.ts";
import { type Context, createContext, statement } from "./context.ts";
import { type Migration, migrate, type NewSchema, refuseNewer } from "./migrate.ts";
import { type Database, safeClient } from "./safe-client.ts";
import { codeOf } from "./store-error.ts";
import { traced } from "./traced.ts";

export interface Opening {
  readonly client: Database;
  readonly local: Local;
  /** Migrations to apply first; empty if another program applies them. */
  readonly migrations: readonly Migration[];
  /** What the migrations create in a new database. */
  readonly schema?: NewSchema | undefined;
  readonly kind: "live" | "sandbox";
  /** Whether the database's kind was already checked. */
  readonly isChecked?: boolean | undefined;
  /** Replaces the database's clock if time is simulated. */
  readonly clock?: () => Millis;
  readonly tracer?: Tracer | undefined;
}

/** Opens a database of this kind, or marks a new one as such. Throws if it is of the other kind. */
export async function openDatabase({
  client,
  local,
  migrations,
  schema,
  kind,
  isChecked,
  clock,
  tracer,
}: Opening): Promise<Context> {
  const names = new Set(migrations.map(({ name }) => name));
  const safe = await safeClient(client, local, kind === "live" ? "durable" : "fast").catch(noDatabase);
  const context: Context = {
    ...createContext(traced(safe, tracer), clock),
    ...(names.size > 0 ? { version: { names, newer: undefined } } : {}),
  };
  if (migrations.length > 0) {
    await migrate(context, migrations, schema);
    await refuseNewer(context).catch((error: unknown) => {
      context.client.close();
      throw new SettingsError(messageOf(error), { cause: error });
    });
  }
  const { db } = context;
  if (migrations.length > 0) {
    await context.client.execute(statement(db.insert(control).values({ id: 1, kind }).onConflictDoNothing()));
  }
  if (isChecked) return context;
  const result = await context.client.execute(statement(sql`select ${control.kind} from ${control}`));
  const found = result.rows[0]?.[0];
  if (found !== undefined && found !== kind) {
    const [is, request] =
      kind === "live" ? ["a sandbox", "live exchanges"] : ["for live exchanges", "a sandbox"];
    context.client.close();
    throw new SettingsError(
      `this database is ${is} and cannot be used for ${request}; choose another one with --db`,
    );
  }
  return context;
}

function noDatabase(error: unknown): never {
  if (!(error instanceof StoreError) || codeOf(error.cause) !== "SQLITE_NOTADB") throw error;
  throw new SettingsError("this file is not a database; choose another one with --db", { cause: error });
}
