#!/usr/bin/env node
// Runs the bundle. No install script runs, so this file builds the bundle first if a source is newer.
const { enableCompileCache } = require("node:module");
const { dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");

const [, , ...words] = process.argv;

if (words.length === 1 && ["--version", "-v"].includes(words[0]))
  process.stdout.write(`${require("../package.json").version}\n`);
else void run();

async function run() {
  outliveReaders();
  const { currentBundle } = require("./build/current.cjs");
  const bundle = await currentBundle();
  // Next to the bundle, because other users can write to Node's default folder. Node before 22.1 has no such cache.
  enableCompileCache?.(join(dirname(bundle), "compiled"));
  const { runCommandLine } = await import(pathToFileURL(bundle).href);
  process.exitCode = await runCommandLine(words);
}

/** Goes on when the reader of a pipe ends, as `head` does: a server must not stop. Other failures make the exit code 1. */
function outliveReaders() {
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", (error) => {
    if (error.code === "EPIPE") return;
    process.stderr.write(`edgemaker: the output could not be written: ${error.message}\n`);
    process.once("exit", () => {
      process.exitCode ||= 1;
    });
  });
}
