import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf, SettingsError } from "../../src/kernel/errors.ts";

/** The rights of others to a file, as `chmod` writes them all; undefined where nobody else has any, or there is no file. */
export function openTo(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  const isOpen = found !== undefined && process.platform !== "win32" && (found.mode & 0o077) !== 0;
  return isOpen ? (found.mode & 0o777).toString(8) : undefined;
}

/**
 * The folder in which others can put files in place of this one: its own where all may write, or one above it where all
 * may also rename. Undefined where there is none.
 */
export function folderOpenToAll(file: string): string | undefined {
  if (process.platform === "win32") return undefined;
  const own = dirname(resolve(file));
  for (let folder = own; ; folder = dirname(folder)) {
    const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
    // In one with the sticky bit nobody renames what is another's; but makes the files that SQLite looks for.
    if ((mode & 0o002) !== 0 && (folder === own || (mode & 0o1000) === 0)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Takes the rights of others to a file that holds secrets; true where they had some. Throws SettingsError where it cannot. */
export function tighten(file: string): boolean {
  const mode = openTo(file);
  if (mode === undefined) return false;
  try {
    chmodSync(file, 0o600);
    return true;
  } catch (error) {
    throw new SettingsError(
      `${file} can be read by other users (mode ${mode}); run chmod 600 on it (${messageOf(error)})`,
    );
  }
}

/** Makes a database's file, and the files beside it, the owner's alone; made where there is none. */
export function ownDatabase(file: string): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, "a", 0o600));
  // Those beside it get the mode that it had when they were made.
  return besides(file).map(tighten).includes(true);
}

/** A database's file and those that SQLite keeps beside it. */
export const besides = (file: string): readonly string[] =>
  ["", "-wal", "-shm"].map((end) => `${file}${end}`);
