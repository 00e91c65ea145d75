// Runs grids on malformed answers: node test/fuzz/run-payloads.mjs …
import { runScript } from "../support/run-script.mjs";

await runScript(new URL("payloads-main.ts", import.meta.url), "payloads");
