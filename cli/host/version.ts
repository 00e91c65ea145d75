import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "./directories.ts";

export const version = (): string =>
  (JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8")) as { version: string }).version;
