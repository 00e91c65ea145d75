// Keeps the page open for hours, played in minutes: node test/web/hours.mjs [hours, 4 when left out]
import { currentBundle } from "../../cli/build/current.cjs";
import { runScript } from "../support/run-script.mjs";

await currentBundle();
await runScript(new URL("hours.run.ts", import.meta.url), "hours");
