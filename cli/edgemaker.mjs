#!/usr/bin/env node
// Runs the bundle, building it first where a source is newer: no install script runs, so this has to.
import { readFileSync } from "node:fs";

const [, , ...words] = process.argv;
if (words.length === 1 && ["--version", "-v"].includes(words[0])) {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${version}\n`);
} else if (words.length === 1 && ["--help", "-h", "help"].includes(words[0])) {
  const { currentBundle, builtHelp } = await import("./build/build.mjs");
  process.stdout.write(`${builtHelp(await currentBundle())}\n`);
} else {
  const { currentBundle } = await import("./build/build.mjs");
  const { loadBundle } = await import("./build/code-cache.mjs");
  const { runCommandLine, keepCompiled } = loadBundle(await currentBundle());
  process.exitCode = await runCommandLine(words);
  if (process.exitCode === 0) keepCompiled(words[0]);
}
