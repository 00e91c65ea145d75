import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { dataDirectory } from "./directories.ts";
import { databaseFile } from "./locations.ts";

/** While this file is there, no process on this machine places an order of the database: it needs neither to work. */
export function killFile(databaseUrl: string): string {
  const file = databaseFile(databaseUrl);
  return file ? `${file}.kill` : join(dataDirectory(process.env), "edgemaker.kill");
}

/** Why nothing may be placed, looked up at once: a look costs some millionths of a second. */
export function killedByFile(databaseUrl: string): () => string | undefined {
  const file = killFile(databaseUrl);
  return () => (existsSync(file) ? `there is a file ${basename(file)}` : undefined);
}
