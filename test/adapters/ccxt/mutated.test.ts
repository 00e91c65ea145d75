import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { createLink } from "../../../src/adapters/ccxt/account/exchange-link.ts";
import { ccxtVenue } from "../../../src/adapters/ccxt/account/venue.ts";
import { trimmed } from "../../../src/adapters/ccxt/client/catalog.ts";
import { LIVE_TIMING } from "../../../src/adapters/ccxt/client/quirks.ts";
import { bitget } from "../../../src/adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../../../src/adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../../../src/adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../../../src/adapters/ccxt/exchanges/mexc.ts";
import { VenueError } from "../../../src/kernel/errors.ts";
import type { Venue } from "../../../src/ports/venue.ts";
import { type Case, PAYLOADS } from "../../support/fixtures.ts";
import { heardLog } from "../../support/heard.ts";
import { KEYS } from "../../support/live.ts";
import { memoryAdapterStore } from "../../venues/adapter-store.ts";

/** Set higher for a long run: npx vitest run test/adapters/ccxt/mutated.test.ts with MUTATIONS=2500. */
const RUNS = Number(process.env.MUTATIONS ?? 250);

const BAD = [
  null,
  "",
  "NaN",
  "Infinity",
  "-1",
  -1,
  "abc",
  [],
  {},
  "1e999",
  true,
  "0",
  "1e-30",
  "-0.5",
  "99999999999",
];
type Json = unknown;

/** Every place of a payload where a value stands. */
function places(value: Json, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, part]) => places(part, [...path, key]));
}

function changed(value: Json, [key, ...rest]: readonly (string | number)[], to: Json): Json {
  if (key === undefined) return to;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  (copy as Record<string, Json>)[key] = changed((value as Record<string, Json>)[key], rest, to);
  return copy;
}

const QUIRKS = { mexc, gateio, bitget, kraken };

/** What must hold of whatever a read gives, or nobody may act on it. */
const READS: Readonly<Record<string, (venue: Venue, one: Case) => Promise<readonly boolean[]>>> = {
  fetchTicker: async (venue, { input }) => {
    const { bid, ask, last, baseVolume, quoteVolume, at } = await venue.ticker(input[0] as "BTC/USDT");
    return [
      bid > 0n,
      ask >= bid,
      last !== 0n,
      (last ?? 0n) >= 0n,
      (baseVolume ?? 0n) >= 0n,
      (quoteVolume ?? 0n) >= 0n,
      at <= Date.now(),
    ];
  },
  fetchOrderBook: async (venue, { input }) => {
    const { bids, asks } = await venue.book(input[0] as "BTC/USDT", 100);
    return [...bids, ...asks].map(({ price, amount }) => price > 0n && amount >= 0n);
  },
  fetchBalance: async (venue) => (await venue.balances()).map(({ free, used }) => free >= 0n && used >= 0n),
  fetchOpenOrders: async (venue, { input }) =>
    (await venue.openOrders(input[0] as "BTC/USDT")).map(
      ({ id, price, amount, filled }) => id !== "" && price >= 0n && filled >= 0n && filled <= amount,
    ),
  fetchMyTrades: async (venue, { input }) =>
    (await venue.fills(input[0] as "BTC/USDT", { from: 0 })).fills.map(
      ({ id, orderId, price, amount, at }) =>
        id !== "" && orderId !== "" && price > 0n && amount > 0n && at > 0,
    ),
};

describe.each(PAYLOADS)(
  "payloads of $exchange, from $source, with one value changed",
  ({ exchange: name, ...found }) => {
    const cases = [...found.cases, ...found.derived].filter(({ method }) => READS[method]);

    it("are read as a possible value, or not at all", async () => {
      let body = "";
      const link = createLink({
        id: name,
        quirks: QUIRKS[name],
        base: "http://127.0.0.1:1",
        timing: LIVE_TIMING,
        rate: undefined,
        keeping: memoryAdapterStore(Date.now),
        local: nodeLocal,
        log: heardLog,
        fetch: async () => new Response(body),
        clock: Date.now,
        keptFor: 0,
      });
      const account = { exchange: name, kind: "live", host: link.host } as const;
      const venue = ccxtVenue(link, { account, keys: async () => ({ ...KEYS, hash: "" }) });
      const markets = Object.values(found.markets).map(trimmed);
      const listing = Object.fromEntries(
        markets.map(({ symbol, id, altname }) => [symbol, String(altname ?? id)]),
      );
      await link.keeping.markets.keepMarkets(link.host, { listing, markets });
      let refused = 0;
      const mutations = cases.flatMap((one) => places(one.httpResponse).map((path) => ({ one, path })));
      const property = fc.asyncProperty(
        fc.constantFrom(...mutations),
        fc.constantFrom(...BAD),
        async ({ one, path }, bad) => {
          body = JSON.stringify(changed(one.httpResponse, path, bad));
          const read = READS[one.method] as (typeof READS)[string];
          const answer = await read(venue, one).catch((error: unknown) => {
            expect(error).toBeInstanceOf(VenueError);
            refused++;
            return [];
          });
          expect(answer).not.toContain(false);
        },
      );
      await fc.assert(property, { numRuns: RUNS });
      expect(refused).toBeGreaterThan(0);
    });
  },
);
