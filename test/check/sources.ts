import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/bundle.ts";
import type { Sources } from "./house.ts";

/** Returns the TypeScript files of folders, without declaration files and what git ignores. */
export function trackedSources(...folders: readonly string[]): Sources {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", ...folders];
  const paths = execFileSync("git", list, { cwd: root, encoding: "utf8" }).trim().split("\n");
  return new Map(
    paths
      .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts") && existsSync(join(root, path)))
      .map((path) => [path, readFileSync(join(root, path), "utf8")]),
  );
}
