import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { moveYear, type OldRows, oldRows } from "../../src/adapters/libsql/archive.ts";
import { createStore, serverStore } from "../../src/adapters/libsql/store.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { messageOf, SettingsError, StoreError } from "../../src/kernel/errors.ts";
import { DAY, HOUR, type Millis, stampOf } from "../../src/kernel/time.ts";
import type { KeyDeps } from "../../src/ports/deps.ts";
import type { StoreDeps } from "../../src/ports/kind.ts";
import { carryOver, checkBackup, copyInto, fold } from "../../src/storage/client/backup.ts";
import { isBusy, type SafeClient } from "../../src/storage/client/call-queue.ts";
import { createContext } from "../../src/storage/client/context.ts";
import { pendingMigrations } from "../../src/storage/client/migrate.ts";
import { openDatabase, safeClient } from "../../src/storage/client/safe-client.ts";
import { databaseFile, dataDirectory, shownUrl } from "../host/directories.ts";
import { fileConnection, readMigrations, schemaAfter } from "../host/file-connection.ts";
import { createLog, nodeRuntime, runtimeAsIs } from "../host/node-runtime.ts";
import { nodeLocal } from "../host/process/node-local.ts";
import { describeServer, findServer, runningServers } from "../host/running-servers.ts";
import { type CliSettings, describeFolder, type LackingFolder, readSettings } from "../host/settings.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { byCommand, withDatabase } from "./open-database.ts";
import { isAtTerminal } from "./plan-confirmation.ts";

const SIDE_FILES = ["-wal", "-shm"];

/** Writes a copy under a temporary name first, so the requested name is always a complete backup. */
export async function backUp(values: Values, named: string): Promise<number> {
  const { file, kind } = localDatabase(values);
  const target = resolve(named);
  if (!existsSync(file)) throw new Error(`there is no database at ${file}`);
  if (existsSync(target)) throw new Error(`${target} exists already; choose another file`);
  if (!existsSync(dirname(target)))
    throw new Error(`the folder ${dirname(target)} does not exist; create it, or choose another file`);
  const partial = beside(target, "partial");
  try {
    const { client } = await openDatabase({ ...opening(file), migrations: [], kind });
    await copyWhole(client, partial).finally(() => client.close());
    renameSync(partial, target);
  } finally {
    remove(partial);
  }
  return print(values, { database: file, backup: target, bytes: statSync(target).size });
}

/** Prepares the backup under a temporary name and swaps it in last, so any failure leaves the database unchanged. */
export async function restore(values: Values, named: string): Promise<number> {
  const { file, kind, databaseUrl } = localDatabase(values);
  const source = resolve(named);
  if (!existsSync(source)) throw new Error(`there is no backup at ${source}`);
  if (source === file) throw new UsageError("the backup is the database itself");
  const server = await findServer(dataDirectory(process.env), databaseUrl);
  if (server) throw new Error(`a server (process ${server.pid}) uses this database; stop it first`);
  const [copy, fresh] = [beside(file, "copied"), beside(file, "restored")];
  try {
    copyPrivate(source, copy);
    await checkCopy(copy);
    const replaced = existsSync(file) ? await closeDown(file, kind) : undefined;
    const running = await prepare({ copy, fresh, kind }, replaced);
    // Another process that opened it meanwhile has set the mode for several processes again.
    if (replaced) await alone(replaced);
    const kept = existsSync(file) ? keep(file) : null;
    renameSync(fresh, file);
    const message = kept !== null && replaced === undefined ? FORGOTTEN : RESTORED;
    return print(values, { restored: source, database: file, kept, running, message });
  } finally {
    for (const name of [copy, fresh]) remove(name);
  }
}

const RESTORED = "when you start a server, grids first look for orders that they placed after the backup";
const FORGOTTEN =
  "the old database could not be read, so stops, pauses, changed exchange keys and revoked tokens since the backup are lost; check your grids before you start a server";

/** Migrates the database and marks it as restored. Returns the running strategies. */
async function prepare(
  { copy, fresh, kind }: { copy: string; fresh: string; kind: "live" | "sandbox" },
  replaced: SafeClient | undefined,
): Promise<string[]> {
  const context = await openDatabase({ ...opening(copy), migrations: readMigrations(), kind });
  try {
    if (replaced) await carryOver(replaced, copy);
    const store = createStore(context);
    await store.nextEpoch();
    const running = await store.strategies({ stopped: false });
    await copyWhole(context.client, fresh);
    return running.filter(({ strategy }) => strategy.wants === "run").map(({ strategy }) => strategy.id);
  } finally {
    context.client.close();
  }
}

async function checkCopy(copy: string): Promise<void> {
  const client = await safeClient(opening(copy).client, nodeLocal).catch(notOne);
  await checkBackup(client, readMigrations(), schemaAfter).finally(() => client.close());
}

const notOne = (error: unknown): never => {
  throw new SettingsError(`this is not a backup of an edgemaker database: ${messageOf(error)}`);
};

/** Checks that no process has the database open, and merges it into one file. Undefined if it cannot be read. */
async function closeDown(file: string, kind: "live" | "sandbox"): Promise<SafeClient | undefined> {
  try {
    const { client } = await openDatabase({ ...opening(file), migrations: readMigrations(), kind });
    await alone(client);
    return client;
  } catch (error) {
    if (error instanceof StoreError && isBusy(error.cause)) throw usedElsewhere(error);
    // A damaged database is a reason to restore a backup.
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

const isUnreadable = (error: unknown): boolean =>
  error instanceof StoreError || (error instanceof SettingsError && error.cause instanceof StoreError);

async function alone(client: SafeClient): Promise<void> {
  await fold(client).catch((error: unknown) => {
    throw usedElsewhere(error);
  });
}

const usedElsewhere = (cause: unknown): Error =>
  new Error("another process uses this database; stop it first", { cause });

/** Renames the replaced database; it keeps its name until the swap. */
function keep(file: string): string {
  const kept = `${file}.before-restore-${new Date().toISOString().replace(/\D/g, "").slice(0, 17)}`;
  linkSync(file, kept);
  for (const suffix of SIDE_FILES)
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${kept}${suffix}`);
  return kept;
}

function localDatabase(values: Values) {
  const { config, databaseUrl } = readSettings(values, process.env);
  const file = databaseFile(databaseUrl);
  if (file === undefined) {
    throw new UsageError(
      `${shownUrl(databaseUrl)} is on a database server; restore it there (on Turso: create a database from a point in time), then run \`edgemaker db restored\` on it`,
    );
  }
  const kind: "live" | "sandbox" = config.sandbox ? "sandbox" : "live";
  return { file, kind, databaseUrl };
}

const opening = (file: string) => ({
  client: fileConnection(file),
  local: nodeLocal,
});

const beside = (file: string, what: string): string => `${file}.${what}-${nodeLocal.randomText(6)}`;

function copyPrivate(from: string, to: string): void {
  for (const suffix of ["", "-wal"]) {
    if (!existsSync(`${from}${suffix}`)) continue;
    copyFileSync(`${from}${suffix}`, `${to}${suffix}`, constants.COPYFILE_EXCL);
    chmodSync(`${to}${suffix}`, 0o600);
  }
}

/** Makes a consistent copy that only the owner can read; it is on the disk before it gets its name. */
async function copyWhole(client: SafeClient, file: string): Promise<void> {
  closeSync(openSync(file, "wx", 0o600));
  await copyInto(client, file);
  const written = openSync(file, "r+");
  fsyncSync(written);
  closeSync(written);
}

function remove(file: string): void {
  for (const suffix of ["", ...SIDE_FILES]) rmSync(`${file}${suffix}`, { force: true });
}

const DEFAULT_RETENTION_MS = 365 * DAY;
/** Minimum age of rows to archive; an exchange can still report newer ones. */
const MIN_RETENTION_MS = 90 * DAY;
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
  if (request === undefined) return now - DEFAULT_RETENTION_MS;
  const text = String(request);
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError(`--before ${text} is not a day; write it as 2026-01-31`);
  if (at > now - MIN_RETENTION_MS)
    throw new UsageError(
      `--before ${text} is too late; the last ${MIN_RETENTION_MS / DAY} days cannot be moved`,
    );
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
  { store, signers: [signer] = [] }: StoreDeps & KeyDeps,
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

/** Migrates a database to this program's version; `dry` only shows the missing migrations. */
export async function migrateDatabase({ url, dry, ...values }: Values): Promise<number> {
  const request = url === undefined ? values : { ...values, db: url };
  const { config, databaseUrl, sandbox } = readSettings(request, process.env);
  const settings = { config, databaseUrl, sandbox };
  const runtime = { ...nodeRuntime(databaseUrl, config, createLog("error")), mayMigrate: true };
  const client = await safeClient(runtime.client, nodeLocal);
  const pending = await pendingMigrations(createContext(client), runtime.migrations);
  const names = pending.map(({ name }) => name);
  const database = shownUrl(databaseUrl);
  if (dry) {
    client.close();
    return print(values, { database, pending: names });
  }
  const copy = await prepareMigration(settings, { isStopped: values.yes === true });
  const deps = await createDeps(config, runtime, sandbox);
  deps.close();
  return print(values, { database, applied: names, ...(copy ? { copy } : {}) });
}

/**
 * Copies a database file that lacks migrations, and returns the copy; undefined if nothing is copied. Throws while
 * an older server runs on the database, unless the user says that it `isStopped`.
 */
export async function prepareMigration(
  { config, databaseUrl }: CliSettings,
  { isStopped = false } = {},
): Promise<string | undefined> {
  const file = databaseFile(databaseUrl);
  if (file !== undefined && !existsSync(file)) return undefined;
  const { client: database, migrations } = runtimeAsIs(databaseUrl, config, createLog("error"));
  const client = await safeClient(database, nodeLocal);
  try {
    const pending = await pendingMigrations({ client }, migrations);
    if (pending.length === 0 || pending.length === migrations.length) return undefined;
    if (!isStopped) await refuseOlderServer(client);
    if (file === undefined) return undefined;
    const copy = `${file}.before-${pending[0]?.name.replace(/\.sql$/, "")}`;
    const partial = beside(copy, "partial");
    await copyWhole(client, partial).then(
      () => renameSync(partial, copy),
      (error: unknown) => {
        remove(partial);
        throw error;
      },
    );
    return copy;
  } finally {
    client.close();
  }
}

/** Throws while a server runs on the database: it is of an older version, or it would have migrated it. */
async function refuseOlderServer(client: SafeClient): Promise<void> {
  const tables = await client.execute("select 1 from sqlite_master where name = 'servers'");
  if (tables.rows.length === 0) return;
  const [server] = await runningServers({ store: serverStore(createContext(client)) });
  if (server)
    throw new SettingsError(
      `an older server runs on this database at ${describeServer(server)}, and could not go on after a migration; stop it, and run \`edgemaker db migrate\`, with --yes if its host has ended`,
    );
}

/** Creates a database's folder after a confirmation. Throws UsageError if the user declines or there is no terminal. */
export async function confirmNewFolder(lacking: LackingFolder, { json }: Values): Promise<void> {
  if (json || !isAtTerminal() || !(await isWished(lacking))) throw new UsageError(describeFolder(lacking));
  mkdirSync(lacking.folder, { recursive: true, mode: 0o700 });
}

async function isWished({ folder, named }: LackingFolder): Promise<boolean> {
  // Loaded only for a question, because most commands have none.
  const { confirm } = await import("@clack/prompts");
  const message = `The folder ${folder} of ${named} does not exist. Create it?`;
  return (await confirm({ message, initialValue: false })) === true;
}
