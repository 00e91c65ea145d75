/** ccxt's own four classes, pointed at an emulated exchange: what the emulators have to satisfy first. */

import bitget from "../../node_modules/ccxt/js/src/bitget.js";
import gate from "../../node_modules/ccxt/js/src/gate.js";
import kraken from "../../node_modules/ccxt/js/src/kraken.js";
import mexc from "../../node_modules/ccxt/js/src/mexc.js";
import type { VenueName } from "../../src/model/market.ts";

interface Endpoint {
  readonly url: string;
  readonly keys?: { readonly key: string; readonly secret: string; readonly passphrase: string };
}

const CLASSES = { mexc, gateio: gate, bitget, kraken } as const;

/** A fresh instance; without keys unless given. Numbers stay text. */
export function ccxtClient(name: VenueName, { url, keys }: Endpoint) {
  const client = new CLASSES[name]({
    ...(keys ? { apiKey: keys.key, secret: keys.secret, password: keys.passphrase } : {}),
    number: String,
    enableRateLimit: false,
    timeout: 30_000,
    options: {
      fetchMarkets: { types: ["spot"] },
      fetchCurrencies: { enabled: false },
      uta: false,
      unifiedAccount: false,
      defaultType: "spot",
    },
  });
  // The clock of a machine may stand still, or go back: kraken refuses such a nonce.
  let last = 0;
  if (name === "kraken") client.nonce = () => (last = Math.max(last + 1, Date.now()));
  client.urls.api = replaced(client.urls.api, name === "gateio" ? `${url}/api/v4` : url);
  // A keyless market list, as the product loads it: with keys two exchanges add signed calls.
  client.has.fetchCurrencies = false;
  return client;
}

function replaced(api: unknown, url: string): never {
  const walk = (value: unknown): unknown =>
    typeof value === "string"
      ? url
      : Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, walk(one)]));
  return walk(api) as never;
}
