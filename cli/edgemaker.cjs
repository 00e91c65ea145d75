#!/usr/bin/env node
// Runs the bundle, building it first where a source is newer: no install script runs, so this has to. No module of ES on
// the way: to load the first of them takes Node as long as all that `--help` does.
const [, , ...words] = process.argv;
/** Milliseconds after which a command that still runs has started, and a server has made its first round. */
const STARTED = 6000;
const isAlone = (...names) => words.length === 1 && names.includes(words[0]);

if (isAlone("--version", "-v")) process.stdout.write(`${require("../package.json").version}\n`);
else if (isAlone("--help", "-h", "help")) void help();
else void run();

async function help() {
  const { currentBundle, builtHelp } = require("./build/current.cjs");
  process.stdout.write(`${builtHelp(await currentBundle())}\n`);
}

async function run() {
  const { runCommandLine, keepCompiled } = await currentProgram();
  // A server's start is known by then, and nobody may wait for its end.
  setTimeout(keepCompiled, STARTED).unref();
  process.exitCode = await runCommandLine(words);
  if (process.exitCode === 0) keepCompiled();
}

/**
 * The program as its sources are. They are looked at once what there is of it is loaded, which does nothing yet: a look at
 * all of them leaves 2 MB of garbage, by which V8, had it seen little else, would collect everything in midst of the start.
 */
async function currentProgram() {
  const { currentBundle, keptBundle } = require("./build/current.cjs");
  const { loadBundle } = require("./build/code-cache.cjs");
  const kept = keptBundle();
  const loaded = kept && tried(() => loadBundle(kept, words[0]));
  const current = await currentBundle();
  return (current === kept && loaded) || loadBundle(current, words[0]);
}

/** What of older sources cannot be loaded is built anew, and what is of these says so when it is loaded again. */
function tried(load) {
  try {
    return load();
  } catch {
    return undefined;
  }
}
