// Bundles the run that changes fields of exchanges' responses: node test/drift/run.mjs [--edition kraken] [--only balance]
import { runScript } from "../support/run-script.mjs";

await runScript(new URL("main.ts", import.meta.url), "drift");
