// Takes the pictures of the page: node test/web/screenshots.mjs [folder]
import { runScript } from "../support/run-script.mjs";

await runScript(new URL("screenshots.run.ts", import.meta.url), "screenshots");
