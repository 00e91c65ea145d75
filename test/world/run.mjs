// Walks the small world: node test/world/run.mjs …
import { runScript } from "../support/run-script.mjs";

await runScript(new URL("main.ts", import.meta.url), "world");
