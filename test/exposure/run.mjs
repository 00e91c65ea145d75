// Runs the exposure property: node test/exposure/run.mjs
import { runScript } from "../support/run-script.mjs";

await runScript(new URL("main.ts", import.meta.url), "exposure");
