import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { lazy } from "../../src/kernel/lazy.ts";
import { dataDirectory } from "./directories.ts";
import { databaseFile } from "./locations.ts";
import { writePrivate } from "./private-file.ts";

/** While this file is there, no process on this machine places an order of the database: it needs neither to work. */
export function killFile(databaseUrl: string): string {
  const file = databaseFile(databaseUrl);
  return file ? `${file}.kill` : join(dataDirectory(process.env), "edgemaker.kill");
}

const CREATED = "Created by `edgemaker kill on`. `edgemaker kill off` removes it.\n";

/** Creates the kill file unless there is one. */
function createKillFile(databaseUrl: string): void {
  const file = killFile(databaseUrl);
  if (!existsSync(file)) writePrivate(file, CREATED);
}

/** Removes a kill file that `createKillFile` made; a person's own stays. Returns whether it removed one. */
function removeKillFile(databaseUrl: string): boolean {
  const file = killFile(databaseUrl);
  const isOurs = existsSync(file) && readFileSync(file, "utf8") === CREATED;
  if (isOurs) rmSync(file);
  return isOurs;
}

/** The kill file for people who may not know the machine's folders. */
export const killFileText = (databaseUrl: string): string =>
  `${basename(killFile(databaseUrl))} ${databaseFile(databaseUrl) ? "beside the database" : "in the data directory"}`;

/** Why nothing may be placed, looked up at once: a look costs some millionths of a second. */
export function killedByFile(databaseUrl: string): () => string | undefined {
  const file = killFile(databaseUrl);
  return () => (existsSync(file) ? `there is a file ${basename(file)}` : undefined);
}

/** Past a switch that is written at once, and a start of this command. */
const LONGEST_ANSWER = 2000;

/** Runs a command. Where it fails, or throws, `act` follows. */
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

/** Turns the switch on, and creates the kill file too where that fails or takes long. */
export async function killedByEither(databaseUrl: string, run: () => Promise<number>): Promise<number> {
  const create = lazy(() => sayCreated(databaseUrl));
  const late = setTimeout(create, LONGEST_ANSWER);
  return orElse(run, create).finally(() => clearTimeout(late));
}

/** Turns the switch off, after it has removed a kill file that `kill on` created. */
export function releasedFromBoth(databaseUrl: string, run: () => Promise<number>): Promise<number> {
  if (removeKillFile(databaseUrl)) process.stderr.write(`Removed the file ${killFile(databaseUrl)}.\n`);
  return run();
}

function sayCreated(databaseUrl: string): void {
  try {
    createKillFile(databaseUrl);
    process.stderr.write(
      `Created the file ${killFile(databaseUrl)}: ${WHILE_THERE}. "edgemaker kill off" removes it.\n`,
    );
  } catch {
    sayKillFile(databaseUrl);
  }
}

const WHILE_THERE = "while this file exists, no process on this machine places orders for this database";

/** Needs neither a server nor a database. */
export const sayKillFile = (databaseUrl: string): boolean =>
  process.stderr.write(
    `To stop without a server or a database, create the file ${killFile(databaseUrl)}: ${WHILE_THERE}.\n`,
  );
