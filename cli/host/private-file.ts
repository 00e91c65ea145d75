import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { nodeLocal } from "./process/node-local.ts";

/** Writes a file that its owner alone can read. Beside it and renamed: another process never reads half of it. */
export function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}.${nodeLocal.randomText(6)}`;
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, file);
}
