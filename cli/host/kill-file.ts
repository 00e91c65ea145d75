import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { lazy } from "../../src/kernel/lazy.ts";
import { databaseFile, dataDirectory } from "./directories.ts";
import { nodeLocal } from "./process/node-local.ts";

/**
 * Returns the kill file's path. While it exists, no process on this machine places an order of the database; it needs
 * neither a server nor the database.
 */
function killFile(databaseUrl: string): string {
  const file = databaseFile(databaseUrl);
  return file ? `${file}.kill` : join(dataDirectory(process.env), "edgemaker.kill");
}

const CREATED = "Created by `edgemaker kill on`. `edgemaker kill off` removes it.\n";

const isFromCommand = (file: string): boolean => existsSync(file) && readFileSync(file, "utf8") === CREATED;

/** Creates the kill file if there is none. Returns how to remove it. */
function createKillFile(databaseUrl: string): string {
  const file = killFile(databaseUrl);
  if (!existsSync(file)) writeKillFile(file);
  return isFromCommand(file) ? '"edgemaker kill off" removes it' : "remove it to place orders again";
}

function writeKillFile(file: string): void {
  try {
    writePrivate(file, CREATED);
  } catch {
    // A full disk still has room for an empty file.
    closeSync(openSync(file, "a", 0o600));
  }
}

/** Removes a kill file that `createKillFile` created, but not one that a user created. Returns whether it removed one. */
function removeKillFile(databaseUrl: string): boolean {
  const file = killFile(databaseUrl);
  if (!isFromCommand(file)) return false;
  rmSync(file);
  return true;
}

/** Describes the kill file for people who may not know the machine's folders. */
export const killFileText = (databaseUrl: string): string =>
  `${basename(killFile(databaseUrl))} ${databaseFile(databaseUrl) ? "next to the database" : "in the data directory"}`;

/** Returns why orders are blocked, checked at the moment of the call, which takes some microseconds. */
export function killedByFile(databaseUrl: string): () => string | undefined {
  const file = killFile(databaseUrl);
  return () => (existsSync(file) ? `there is a file ${basename(file)}` : undefined);
}

/** Maximum wait; a normal change of the switch and a command's start take less. */
const MAX_SWITCH_WAIT_MS = 2000;

/** Runs a command; if it fails or throws, runs `act`. */
export async function orElse(run: () => Promise<number>, act: () => void): Promise<number> {
  try {
    const code = await run();
    if (code !== 0) act();
    return code;
  } catch (error) {
    act();
    throw error;
  }
}

/** Turns the switch on, and also creates the kill file if that fails or takes long. */
export async function killedByEither(databaseUrl: string, run: () => Promise<number>): Promise<number> {
  const create = lazy(() => sayCreated(databaseUrl));
  const late = setTimeout(create, MAX_SWITCH_WAIT_MS);
  return orElse(run, create).finally(() => clearTimeout(late));
}

/** Removes a kill file that `kill on` created, then turns the switch off. */
export function releasedFromBoth(databaseUrl: string, run: () => Promise<number>): Promise<number> {
  if (removeKillFile(databaseUrl)) process.stderr.write(`Removed the file ${killFile(databaseUrl)}.\n`);
  return run();
}

function sayCreated(databaseUrl: string): void {
  try {
    const removal = createKillFile(databaseUrl);
    process.stderr.write(`Created the file ${killFile(databaseUrl)}: ${WHILE_THERE}; ${removal}.\n`);
  } catch {
    printKillFilePath(databaseUrl);
  }
}

const WHILE_THERE = "while this file exists, no process on this machine places orders for this database";

/** Prints the kill file's path; needs neither a server nor a database. */
export const printKillFilePath = (databaseUrl: string): boolean =>
  process.stderr.write(
    `To stop without a server or a database, create the file ${killFile(databaseUrl)}: ${WHILE_THERE}.\n`,
  );

/** Prints how to stop a server that does not respond and that the user named: its kill file is on its own machine. */
export const printRemoteKillHint = (): boolean =>
  process.stderr.write(
    "If the server does not respond, run `edgemaker kill on` on the machine of that server; it needs no server.\n",
  );

/**
 * Writes a file that only its owner can read, under a temporary name that is then renamed, so readers never see half
 * of it. Follows a symbolic link and keeps it.
 */
export function writePrivate(named: string, text: string): void {
  const file = behindLinks(named);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}.${nodeLocal.randomText(6)}`;
  try {
    // Without a flush, a power cut can leave an empty file, and the keys are lost.
    writeFileSync(fresh, text, { mode: 0o600, flag: "wx", flush: true });
    renameSync(fresh, file);
  } catch (error) {
    // A full disk would keep a part of it, with its secrets.
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** Maximum number of links, as in the operating system. */
const MAX_SYMBOLIC_LINKS = 40;

/** Returns the file behind a name, which may not exist. Throws Error for circular links. */
function behindLinks(named: string): string {
  let file = named;
  for (let links = 0; links < MAX_SYMBOLIC_LINKS; links++) {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
    file = resolve(dirname(file), readlinkSync(file));
  }
  throw new Error(`${named} is a link that leads nowhere`);
}
