// Takes the pictures of the page: node test/web/screenshots.mjs [folder]
import { currentBundle } from "../../cli/build/current.cjs";
import { runScript } from "../support/run-script.mjs";

await currentBundle();
await runScript(new URL("screenshots.run.ts", import.meta.url), "screenshots", ["@modelcontextprotocol/sdk"]);
