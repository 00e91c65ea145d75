import type { Fetch } from "../../src/adapters/ccxt/client/transport.ts";
import { libsqlAdapterStore } from "../../src/adapters/libsql/adapter-store.ts";
import { createStore } from "../../src/adapters/libsql/store.ts";
import { sandboxAggregator } from "../../src/adapters/sandbox/aggregator.ts";
import { NO_STORED_KEYS } from "../../src/adapters/stored-keys.ts";
import { connectDex, timeLimit } from "../../src/compose/deps.ts";
import { liveVenues } from "../../src/compose/live.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { KINDS } from "../../src/kinds.ts";
import { type Tier, VENUES, type VenueName } from "../../src/model/market.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Timing } from "../../src/ports/venue.ts";
import type { RemoteDatabase } from "../../src/storage/client/remote-client.ts";
import { type EmulatedVenue, startVenue, type VenueOptions } from "../venues/index.ts";
import { heardLog } from "./heard.ts";
import { KEYS, liveBox } from "./live.ts";
import { virtualLocal } from "./local.ts";
import { START } from "./sandbox.ts";

export interface EmulatedOptions {
  readonly names: readonly VenueName[];
  readonly timing?: Partial<Timing>;
  readonly venue?: VenueOptions;
  readonly seed?: number;
  /** In place of a clock that moves when told. */
  readonly time?: ReturnType<typeof virtualLocal>;
  /** Of the account on kraken, as the exchange counts and as we do; the highest when left out. */
  readonly tier?: Tier;
  /** In place of the runtime's own. */
  readonly fetch?: Fetch;
  /** In place of one in memory. */
  readonly database?: RemoteDatabase;
}

/** The product over real sockets to emulated exchanges: real store, real adapter, and one clock that moves when told. */
export async function emulatedExchanges({
  names,
  timing,
  venue = {},
  seed,
  time: given,
  tier = "pro",
  fetch,
  database,
}: EmulatedOptions) {
  const time = given ?? virtualLocal(START, seed);
  const venues = new Map<VenueName, EmulatedVenue>();
  for (const name of names) {
    venues.set(name, await startVenue(name, { ...venue, tier, clock: time.now, keys: KEYS }));
  }
  // Real time, beside a busy test run: long enough that only what is told to hang does.
  const options = { timing: { requestTimeout: 30 * SECOND, ...timing }, ...(fetch ? { fetch } : {}) };
  const urls = Object.fromEntries([...venues].map(([name, { url }]) => [name, url]));
  const env: Record<string, string> = names.includes("kraken") ? { EDGEMAKER_TIERS: `kraken=${tier}` } : {};
  const box = await liveBox({ urls, options, time, env, ...(database ? { database } : {}) });
  const opened = [box.context.client];
  const exchanges = names.map((id) => ({
    id,
    venue: id,
    kind: "live" as const,
    passphrase: VENUES[id].passphrase,
    quotes: VENUES[id].quotes,
    configured: true,
  }));
  const inTime = timeLimit(240 * SECOND);
  const aggregator = sandboxAggregator({ seed: 1, origin: START, market: box.venue(names[0] as string) });
  const deps: Deps = {
    kinds: kindsOf(KINDS),
    venue: box.venue,
    venueOf: box.venueOf,
    marketTime: box.marketTime,
    exchanges,
    inTime,
    dex: connectDex({ aggregator, exchanges, venue: box.venue, inTime }),
    store: box.store,
    local: time.local,
    log: heardLog,
  };
  return {
    deps,
    /** The service as another process has it: nothing but the database is as it was. */
    restarted(): Deps {
      const parts = {
        keeping: libsqlAdapterStore(box.context),
        credentials: NO_STORED_KEYS,
        local: time.local,
      };
      return {
        ...deps,
        ...liveVenues(box.config, { ...parts, log: heardLog }, { ...options, clock: time.now }),
        store: createStore(box.context),
      };
    },
    /** The same over another database, as if it had been put in this one's place. */
    async over(database: string): Promise<Deps> {
      const {
        venue: ofName,
        venueOf,
        marketTime,
        store,
        context,
      } = await liveBox({
        urls,
        options,
        time,
        env,
        database,
      });
      opened.push(context.client);
      return { ...deps, venue: ofName, venueOf, marketTime, store };
    },
    context: box.context,
    accessOf: box.accessOf,
    time,
    exchange: (name: VenueName): EmulatedVenue => venues.get(name) as EmulatedVenue,
    async close() {
      for (const client of opened) client.close();
      for (const one of venues.values()) await one.close();
    },
  };
}
