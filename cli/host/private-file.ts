import { lstatSync, mkdirSync, readlinkSync, renameSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { nodeLocal } from "./process/node-local.ts";

/**
 * Writes a file that its owner alone can read. Beside it and renamed: another process never reads half of it. A symbolic
 * link stays, and the file that it names is written.
 */
export function writePrivate(named: string, text: string): void {
  const file = behindLinks(named);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}.${nodeLocal.randomText(6)}`;
  writeFileSync(fresh, text, { mode: 0o600, flag: "wx" });
  renameSync(fresh, file);
}

/** As many links as the system itself follows. */
const MOST_LINKS = 40;

/** The file that a name stands for, which may not be there. Throws Error where links lead in a circle. */
function behindLinks(named: string): string {
  let file = named;
  for (let links = 0; links < MOST_LINKS; links++) {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
    file = resolve(dirname(file), readlinkSync(file));
  }
  throw new Error(`${named} is a link that leads nowhere`);
}
