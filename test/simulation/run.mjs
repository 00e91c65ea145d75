// Runs the simulation: node test/simulation/run.mjs …
import { runScript } from "../support/run-script.mjs";

await runScript(new URL("main.ts", import.meta.url), "simulation");
