/** ccxt's own WebSocket classes on the emulated exchanges: what the streams have to satisfy first. */
import { afterEach, expect, it } from "vitest";
import bitget from "../../../node_modules/ccxt/js/src/pro/bitget.js";
import gate from "../../../node_modules/ccxt/js/src/pro/gate.js";
import kraken from "../../../node_modules/ccxt/js/src/pro/kraken.js";
import mexc from "../../../node_modules/ccxt/js/src/pro/mexc.js";
import { type EmulatedVenue, startVenue } from "../index.ts";

const CLASSES = { gateio: gate, bitget, kraken } as const;
type Name = keyof typeof CLASSES;
const SYMBOL = { gateio: "BTC/USDT", bitget: "BTC/USDT", kraken: "BTC/USD" } as const;

let venue: EmulatedVenue;
let client: InstanceType<(typeof CLASSES)[Name]>;

const STREAM_URLS: Record<Name, (base: string) => object> = {
  gateio: (base) => ({ spot: `${base}/ws/v4/` }),
  bitget: (base) => ({
    ws: {
      public: `${base}/v2/ws/public`,
      private: `${base}/v2/ws/private`,
      utaPublic: `${base}/v3/ws/public`,
      utaPrivate: `${base}/v3/ws/private`,
    },
  }),
  kraken: (base) => ({
    ws: { publicV2: `${base}/v2`, private: `${base}/auth/v2`, privateV2: `${base}/auth/v2` },
  }),
};

afterEach(async () => {
  await client?.close();
  await venue?.close();
});

async function start(name: Name, unified = false) {
  venue = await startVenue(name, { unified });
  const { key, secret, passphrase } = venue.keys;
  client = new CLASSES[name]({
    apiKey: key,
    secret,
    password: passphrase,
    enableRateLimit: false,
    options: {
      defaultType: "spot",
      fetchMarkets: { types: ["spot"] },
      unifiedAccount: false,
      uta: false,
    },
  });
  client.has.fetchCurrencies = false;
  // It looks for proxies, and refuses addresses without TLS until it has.
  client.getHttpAgentIfNeeded = () => undefined;
  const walk = (value: unknown): unknown =>
    typeof value === "string"
      ? name === "gateio"
        ? `${venue.url}/api/v4`
        : venue.url
      : Object.fromEntries(Object.entries(value as object).map(([field, one]) => [field, walk(one)]));
  const base = venue.url.replace("http", "ws");
  client.urls.api = { ...(walk(client.urls.api) as object), ...STREAM_URLS[name](base) } as never;
  const symbol = SYMBOL[name];
  await client.loadMarkets();
  return { symbol, order: venue.own({ symbol, side: "buy", price: "50000", amount: "0.01" }) };
}

it.each([
  ["gateio", false],
  ["bitget", false],
  ["bitget", true],
  ["kraken", false],
] as const)("sends a fill to ccxt's class on %s (unified: %s)", async (name, unified) => {
  const { symbol, order } = await start(name, unified);
  const trades = client.watchMyTrades(undefined, undefined, undefined, unified ? { uta: true } : {});
  await expect.poll(() => venue.stream.sessions().some(({ topics }) => topics.has("fills"))).toBe(true);
  venue.fill(order.id, "0.004");
  expect(await trades).toMatchObject([{ symbol, order: order.id, side: "buy", price: 50000, amount: 0.004 }]);
});

it.each(["gateio", "bitget", "kraken"] as const)("sends best prices to ccxt's class on %s", async (name) => {
  const { symbol } = await start(name);
  const first = await client.watchBidsAsks([symbol]);
  const { bid, ask } = first[symbol] ?? {};
  expect(bid).toBeLessThan(ask as number);
  const next = client.watchBidsAsks([symbol]);
  venue.move(symbol, "61234");
  const moved = (await next)[symbol];
  expect(moved?.bid).toBeLessThanOrEqual(61234);
  expect(moved?.ask).toBeGreaterThanOrEqual(61234);
});

it("finds that ccxt reads no message of mexc without another package", () => {
  expect(() => new mexc().decodeProtoMsg(new Uint8Array(1))).toThrow(/install protobufjs|npm install/);
});
