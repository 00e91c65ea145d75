// Counts the code, the API and the install: node test/size/run.mjs --help
import { runScript } from "../support/run-script.mjs";

await runScript(new URL("main.ts", import.meta.url), "size");
