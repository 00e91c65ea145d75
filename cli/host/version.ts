import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Build } from "../../src/ports/definition.ts";
import { MANIFEST } from "../build/manifest.mjs";
import { packageFolder } from "./directories.ts";

const readPart = (name: string) =>
  JSON.parse(readFileSync(join(packageFolder(), name), "utf8")) as { version: string; commit: string };

export const version = (): string => readPart("package.json").version;

/** Returns the version and commit of this program; a checkout names no commit, because its files change. */
export const installedBuild = (): Build => ({
  version: version(),
  commit: existsSync(join(packageFolder(), MANIFEST)) ? readPart(MANIFEST).commit : null,
});
