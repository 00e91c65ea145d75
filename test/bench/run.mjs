// Runs the benchmarks on the built command: node test/bench/run.mjs [--write]
import { currentBundle } from "../../cli/build/current.cjs";
import { runScript } from "../support/run-script.mjs";

await currentBundle();
await runScript(new URL("main.ts", import.meta.url), "bench");
