import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const system = `${process.platform}-${process.arch}`;

/** Returns the path of a program that `npm run runtimes` installs. `names` leads from package to package. */
export function runtimeProgram(names: readonly string[], path: string): string {
  let from = join(process.cwd(), "test/runtimes/package.json");
  try {
    for (const name of names) from = createRequire(from).resolve(`${name}/package.json`);
  } catch (error) {
    throw new Error(`${names.at(-1)} is not installed: run npm run runtimes`, { cause: error });
  }
  return join(dirname(from), path);
}

/** Node's packages are those of Linux on x64. */
const olderAndNewerNode: Readonly<Record<string, () => readonly [string]>> =
  system === "linux-x64"
    ? {
        "node 22": () => [runtimeProgram(["node-22"], "bin/node")],
        "node 26": () => [runtimeProgram(["node-26"], "bin/node")],
      }
    : {};

/**
 * The command lines that run a JavaScript file. The commands of bun and deno are stubs that an install script would
 * replace: the programs are in packages for each system.
 */
export const RUNTIMES: Readonly<Record<string, () => readonly [string, ...string[]]>> = {
  node: () => [process.execPath],
  ...olderAndNewerNode,
  bun: () => [runtimeProgram(["bun", `@oven/bun-${system.replace("arm64", "aarch64")}`], "bin/bun")],
  deno: () => [
    runtimeProgram(["deno", `@deno/${system}${process.platform === "linux" ? "-glibc" : ""}`], "deno"),
    "run",
    "--allow-all",
    "--no-lock",
  ],
};
