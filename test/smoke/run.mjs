// Asks the real exchanges: node test/smoke/run.mjs [--look CLIENT_ID --symbol BTC/USDT]
import { runScript } from "../support/run-script.mjs";

await runScript(new URL("main.ts", import.meta.url), "smoke");
