/**
 * For a person with network: what the real exchanges answer. Public calls on all configured ones; where keys are set
 * (<ID>_API_KEY, <ID>_SECRET, <ID>_PASSPHRASE) also a small order far from the market, placed, looked up by its
 * client id and cancelled. `--look ID` only looks, to see how long an exchange keeps a client id.
 * EDGEMAKER_EXCHANGES and EDGEMAKER_VENUE_URLS choose exchanges and their test environments.
 */
import { createClient } from "@libsql/client";
import { nodeLocal } from "../../cli/node-runtime.ts";
import { parseConfig } from "../../src/config.ts";
import { createDeps } from "../../src/deps.ts";
import { messageOf } from "../../src/errors.ts";
import { isPair } from "../../src/kernel/pair.ts";
import { migrations } from "../support/migrations.ts";
import { askPublic } from "./public.ts";
import { lookLater, tryOrder } from "./trading.ts";

const flag = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};

const symbol = flag("--symbol") ?? "BTC/USDT";
if (!isPair(symbol)) throw new Error("--symbol must be a pair, for example BTC/USDT");
const look = flag("--look");

const config = parseConfig(process.env);
const deps = await createDeps(config, {
  client: createClient({ url: "file::memory:", concurrency: 1 }),
  migrations,
  local: nodeLocal,
  log: (level, message, fields) => console.log(`  ${level}: ${message}`, JSON.stringify(fields ?? {})),
  readCandles: () => Promise.reject(new Error("there are no candle files here")),
});

let failures = 0;
for (const { id, configured } of deps.exchanges) {
  console.log(`\n${id}`);
  const venue = deps.venue(id);
  try {
    if (look) await lookLater(venue, symbol, look);
    else {
      await askPublic(venue, symbol);
      if (configured) {
        const checked = await deps.live?.venues.checkKeys(id);
        console.log(
          `  keys: accepted, ${checked?.assets} assets, may withdraw: ${checked?.mayWithdraw ?? "not told"}`,
        );
        await tryOrder(venue, symbol, nodeLocal);
      } else console.log("  no keys are set, so nothing private is asked");
    }
  } catch (error) {
    failures++;
    console.log(`  FAILED: ${messageOf(error)}`);
  }
}
deps.close();
process.exit(failures === 0 ? 0 : 1);
