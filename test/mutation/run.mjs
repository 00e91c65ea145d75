// Runs mutation testing: node test/mutation/run.mjs …
import { runScript } from "../support/run-script.mjs";

await runScript(new URL("main.ts", import.meta.url), "mutation");
