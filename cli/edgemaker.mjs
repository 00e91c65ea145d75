#!/usr/bin/env node
// Runs the bundle, building it first where a source is newer: no install script runs, so this has to.
import { currentBundle } from "./build/build.mjs";

const { main } = await import((await currentBundle()).href);
process.exitCode = await main(process.argv.slice(2));
