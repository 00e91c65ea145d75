import { lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { nodeLocal } from "./process/node-local.ts";

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
const MOST_LINKS = 40;

/** Returns the file behind a name, which may not exist. Throws Error for circular links. */
function behindLinks(named: string): string {
  let file = named;
  for (let links = 0; links < MOST_LINKS; links++) {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
    file = resolve(dirname(file), readlinkSync(file));
  }
  throw new Error(`${named} is a link that leads nowhere`);
}
