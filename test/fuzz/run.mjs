// Runs the fuzz: node test/fuzz/run.mjs …
import { runScript } from "../support/run-script.mjs";

await runScript(new URL("main.ts", import.meta.url), "fuzz");
