import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const requireHere = createRequire(import.meta.url);
const system = `${process.platform}-${process.arch}`;

// The packages' own commands are stubs that an install script would replace: the programs are in packages of their own.
const inPackage = (name: string, ...path: string[]): string =>
  join(dirname(requireHere.resolve(`${name}/package.json`)), ...path);

/** The command lines that run a JavaScript file. */
export const RUNTIMES: Readonly<Record<string, () => readonly [string, ...string[]]>> = {
  node: () => [process.execPath],
  bun: () => [inPackage(`@oven/bun-${system.replace("arm64", "aarch64")}`, "bin/bun")],
  deno: () => [
    inPackage(`@deno/${system}${process.platform === "linux" ? "-glibc" : ""}`, "deno"),
    "run",
    "--allow-all",
    "--no-lock",
  ],
};
