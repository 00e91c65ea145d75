// Kills a server again and again: node test/processes/run.mjs [--seed N] [--kills 50]
import { currentBundle } from "../../cli/build/current.cjs";
import { runScript } from "../support/run-script.mjs";

await currentBundle();
await runScript(new URL("main.ts", import.meta.url), "crash");
