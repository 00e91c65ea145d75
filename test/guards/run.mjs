// Takes each guard of the SQL store out and shows that something notices: node test/guards/run.mjs …
import { runScript } from "../support/run-script.mjs";

await runScript(new URL("main.ts", import.meta.url), "guards");
