import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { createStore } from "../../../src/adapters/libsql/stores/store.ts";
import { messageOf, SettingsError, StoreError } from "../../../src/kernel/errors.ts";
import { carryOver, checkBackup, copyInto, fold } from "../../../src/storage/client/backup.ts";
import type { SafeClient } from "../../../src/storage/client/calls.ts";
import { openDatabase } from "../../../src/storage/client/open.ts";
import { safeClient } from "../../../src/storage/client/safe-client.ts";
import { isBusy } from "../../../src/storage/client/store-error.ts";
import { fileConnection } from "../../host/database/file-connection.ts";
import { readMigrations, schemaAfter } from "../../host/database/migrations.ts";
import { dataDirectory } from "../../host/directories.ts";
import { databaseFile, shownUrl } from "../../host/locations.ts";
import { nodeLocal } from "../../host/process/node-local.ts";
import { findServer } from "../../host/server-file.ts";
import { readSettings } from "../../host/settings.ts";
import type { Values } from "../../terminal/arguments.ts";
import { print } from "../../terminal/output.ts";
import { UsageError } from "../../terminal/usage-error.ts";

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
    const message = existsAndUnread(kept, replaced) ? FORGOTTEN : RESTORED;
    return print(values, { restored: source, database: file, kept, running, message });
  } finally {
    for (const name of [copy, fresh]) remove(name);
  }
}

const existsAndUnread = (kept: string | null, replaced: SafeClient | undefined): boolean =>
  kept !== null && replaced === undefined;
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
