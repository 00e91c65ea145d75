/**
 * For a person with network: what the real exchanges answer. Public calls on all configured ones; where keys are set
 * (<ID>_API_KEY, <ID>_SECRET, <ID>_PASSPHRASE) also what the account shows of how the exchange behaves, a line each.
 * Nothing but reads, unless `--trade` is given: then also small orders, placed, looked up by their client ids and
 * cancelled. `--look ID` only looks, to see how long an exchange keeps a client id.
 * EDGEMAKER_EXCHANGES and EDGEMAKER_VENUE_URLS choose exchanges and their test environments.
 */
import { createClient } from "@libsql/client";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { bitget } from "../../src/adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../../src/adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../../src/adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../../src/adapters/ccxt/exchanges/mexc.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { handOrderId } from "../../src/kernel/ids.ts";
import { isPair, type Pair } from "../../src/kernel/pair.ts";
import type { VenueName } from "../../src/model/market.ts";
import { migrations } from "../support/migrations.ts";
import { BEHAVIOURS } from "./behaviours.ts";
import { askPublic } from "./public.ts";
import { askingOf, type Keys, tell } from "./requests.ts";
import { tradeBehaviours } from "./trade-behaviours.ts";
import { lookLater, tryOrder } from "./trading.ts";

const HOSTS = { mexc: mexc.host, gateio: gateio.host, bitget: bitget.host, kraken: kraken.host };

const flag = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};

const symbol = flag("--symbol") ?? "BTC/USDT";
if (!isPair(symbol)) throw new Error("--symbol must be a pair, for example BTC/USDT");
const pair: Pair = symbol;
const look = flag("--look");
const trades = process.argv.includes("--trade");

const config = parseConfig(process.env);
const deps = await createDeps(config, {
  client: createClient({ url: "file::memory:", concurrency: 1 }),
  migrations,
  local: nodeLocal,
  log: (level, message, fields) => console.log(`  ${level}: ${message}`, JSON.stringify(fields ?? {})),
  readCandles: () => Promise.reject(new Error("there are no candle files here")),
});

async function tellBehaviours(name: VenueName, id: string, keys: Keys): Promise<void> {
  const url = config.venueUrls.get(id) ?? `https://${HOSTS[name]}`;
  const asking = await askingOf(name, { url, keys, symbol: pair });
  await tell(BEHAVIOURS[name], asking, keys);
  if (trades)
    await tell(
      tradeBehaviours(name, () => handOrderId(nodeLocal.randomText(15))),
      asking,
      keys,
    );
}

let failures = 0;
for (const { id, venue: kind, configured } of deps.exchanges) {
  console.log(`\n${id}`);
  const venue = deps.venue(id);
  try {
    if (look) await lookLater(venue, symbol, look);
    else {
      await askPublic(venue, symbol);
      if (configured) {
        // Before our own calls, whose nonces may run ahead of the clock.
        const keys = config.exchanges.find((one) => one.id === id)?.keys;
        if (keys) await tellBehaviours(kind as VenueName, id, { ...keys, passphrase: keys.passphrase ?? "" });
        const checked = await deps.live?.venues.checkKeys(id);
        console.log(
          `  keys: accepted, ${checked?.assets} assets, may withdraw: ${checked?.mayWithdraw ?? "not told"}`,
        );
        if (trades) await tryOrder(venue, symbol, nodeLocal);
        else console.log("  nothing was traded; --trade also places small orders and cancels them");
      } else console.log("  no keys are set, so nothing private is asked");
    }
  } catch (error) {
    failures++;
    console.log(`  FAILED: ${messageOf(error)}`);
  }
}
deps.close();
process.exit(failures === 0 ? 0 : 1);
