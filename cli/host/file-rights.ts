import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf, SettingsError } from "../../src/kernel/errors.ts";

/** Returns other users' rights to a file, in the form of `chmod`; undefined if there are none or no file. */
export function openTo(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  const isOpen = found !== undefined && process.platform !== "win32" && (found.mode & 0o077) !== 0;
  return isOpen ? (found.mode & 0o777).toString(8) : undefined;
}

/**
 * Returns the folder in which others can replace this file: its own folder if all can write, or one above it if all
 * can rename there. Undefined if there is none.
 */
export function folderOpenToAll(file: string): string | undefined {
  if (process.platform === "win32") return undefined;
  const own = dirname(resolve(file));
  for (let folder = own; ; folder = dirname(folder)) {
    const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
    // In a folder with the sticky bit, others cannot rename files, but they can create the files that SQLite looks for.
    if ((mode & 0o002) !== 0 && (folder === own || (mode & 0o1000) === 0)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Removes other users' rights to a file with secrets; returns true if they had any. Throws SettingsError if that fails. */
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

/** Restricts a database's file, and SQLite's files next to it, to the owner; creates missing ones. */
export function ownDatabase(file: string): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, "a", 0o600));
  // Files next to it got its mode at the time when they were created.
  return besides(file).map(tighten).includes(true);
}

/** Returns a database's file and SQLite's files next to it. */
export const besides = (file: string): readonly string[] =>
  ["", "-wal", "-shm"].map((end) => `${file}${end}`);
