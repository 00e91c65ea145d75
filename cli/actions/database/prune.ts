import { closeSync, existsSync, openSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { moveYear, type OldRows, oldRows } from "../../../src/adapters/libsql/keeping/archive.ts";
import { DAY, HOUR, type Millis, stampOf } from "../../../src/kernel/time.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import { openDatabase } from "../../../src/storage/client/open.ts";
import { safeClient } from "../../../src/storage/client/safe-client.ts";
import { fileConnection } from "../../host/database/file-connection.ts";
import { readMigrations } from "../../host/database/migrations.ts";
import { databaseFile, shownUrl } from "../../host/locations.ts";
import { nodeLocal } from "../../host/process/node-local.ts";
import { readSettings } from "../../host/settings.ts";
import type { Values } from "../../terminal/arguments.ts";
import { UsageError } from "../../terminal/usage-error.ts";
import { byCommand, withDatabase } from "./open.ts";

const KEPT_BY_DEFAULT = 365 * DAY;
/** Minimum age of rows to archive; an exchange can still report newer ones. */
const LEAST_KEPT = 90 * DAY;
/** Margin, because a checkpoint cuts by its signing time, which is later than this command's time. */
const SIGNED_LATER = HOUR;

/** Moves old rows to yearly archives next to the database, or shows what it would move. */
export async function prune(values: Values): Promise<number> {
  const { config, databaseUrl } = readSettings(values, process.env);
  const file = databaseFile(databaseUrl);
  if (file === undefined) throw new UsageError(`${shownUrl(databaseUrl)} ${ON_A_SERVER}`);
  const before = requestedTime(values.before, Date.now());
  if (!existsSync(file)) throw new Error(`there is no database at ${file}`);
  const isDry = values["dry-run"] === true;
  return withDatabase(values, async (deps) => {
    const kind = config.sandbox ? "sandbox" : "live";
    const opening = { client: fileConnection(file), local: nodeLocal };
    const context = await openDatabase({ ...opening, migrations: readMigrations(), kind });
    try {
      const isSigned = (deps.signers ?? []).length > 0;
      const found = (await oldRows(context, before)).filter(({ name }) => isSigned || name !== "events");
      const years = [...new Set(found.map(({ year }) => year))].sort((a, b) => a - b);
      for (const year of isDry ? [] : years) {
        const client = await safeClient(fileConnection(ownFile(archiveOf(file, year))), nodeLocal);
        const archive = { year, file: basename(archiveOf(file, year)), client };
        await moveYear(context, archive, before).finally(() => client.close());
      }
      const result = { database: file, before: stampOf(before), dryRun: isDry };
      const events = await eventsCut(deps, found, isDry ? undefined : before);
      return { ...result, events, archives: years.map((year) => formatYear(file, year, found)) };
    } finally {
      context.client.close();
    }
  });
}

const ON_A_SERVER =
  "is on a database server, where prune does not work; use `edgemaker audit export` and `audit checkpoint --keep-days` to delete old events";

function requestedTime(request: unknown, now: Millis): Millis {
  if (request === undefined) return now - KEPT_BY_DEFAULT;
  const text = String(request);
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError(`--before ${text} is not a day; write it as 2026-01-31`);
  if (at > now - LEAST_KEPT)
    throw new UsageError(`--before ${text} is too late; the last ${LEAST_KEPT / DAY} days cannot be moved`);
  return at;
}

/** Returns the archive's name: `trade-2026.db` for `trade.db`. */
const archiveOf = (file: string, year: number): string =>
  join(dirname(file), `${basename(file).replace(/\.db$/, "")}-${year}.db`);

/** Creates the file so that only its owner can read it. */
function ownFile(file: string): string {
  if (!existsSync(file)) closeSync(openSync(file, "wx", 0o600));
  return file;
}

/** Deletes old events that were copied, which happens only when a checkpoint signs it. */
async function eventsCut(
  { store, signers: [signer] = [] }: Deps,
  found: readonly OldRows[],
  before: Millis | undefined,
): Promise<string> {
  if (!signer) return "not moved, because EDGEMAKER_KEK is not set; it signs the moved events";
  const old = found.filter(({ name }) => name === "events").reduce((sum, { rows }) => sum + rows, 0);
  if (before === undefined) return `about ${old} would be moved, signed by a checkpoint`;
  if (old === 0) return "no event is old enough";
  const { checkpoint, cut } = await store.checkpoint(signer, Date.now() - before + SIGNED_LATER, byCommand());
  return `${cut} moved, signed by checkpoint ${checkpoint.number}`;
}

function formatYear(file: string, year: number, found: readonly OldRows[]) {
  const rows = (name: OldRows["name"]): number =>
    found.find((oldRows) => oldRows.name === name && oldRows.year === year)?.rows ?? 0;
  const samples = rows("liquidityMinutes") + rows("liquidityMisses");
  return { year, file: archiveOf(file, year), orders: rows("orders"), events: rows("events"), samples };
}
