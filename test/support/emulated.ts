import { sandboxAggregator } from "../../src/adapters/sandbox/aggregator.ts";
import { VENUES, type VenueName } from "../../src/config.ts";
import { connectDex } from "../../src/dex-deps.ts";
import { timeLimit } from "../../src/in-time.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { Deps, Timing } from "../../src/ports.ts";
import { type EmulatedVenue, startVenue, type VenueOptions } from "../venues/index.ts";
import { KEYS, liveBox } from "./live.ts";
import { virtualLocal } from "./local.ts";
import { START } from "./sandbox.ts";

export interface EmulatedWorld {
  readonly names: readonly VenueName[];
  readonly timing?: Partial<Timing>;
  readonly venue?: VenueOptions;
  readonly seed?: number;
}

/** The product over real sockets to emulated exchanges: real store, real adapter, and one clock that moves when told. */
export async function emulatedWorld({ names, timing, venue = {}, seed }: EmulatedWorld) {
  const time = virtualLocal(START, seed);
  const venues = new Map<VenueName, EmulatedVenue>();
  for (const name of names) {
    venues.set(name, await startVenue(name, { ...venue, clock: time.now, keys: KEYS }));
  }
  const box = await liveBox({
    urls: Object.fromEntries([...venues].map(([name, { url }]) => [name, url])),
    // Real time, beside a busy test run: long enough that only what is told to hang does.
    options: { timing: { requestTimeout: 1500, ...timing } },
    time,
  });
  const exchanges = names.map((id) => ({
    id,
    venue: id,
    kind: "live" as const,
    passphrase: VENUES[id].passphrase,
    quotes: VENUES[id].quotes,
    configured: true,
  }));
  const inTime = timeLimit(10 * SECOND);
  const aggregator = sandboxAggregator({ seed: 1, origin: START, market: box.venue(names[0] as string) });
  const deps: Deps = {
    venue: box.venue,
    venueOf: box.venueOf,
    marketTime: box.marketTime,
    exchanges,
    inTime,
    dex: connectDex({ aggregator, exchanges, venue: box.venue, inTime }),
    store: box.store,
    local: time.local,
    log: () => {},
  };
  return {
    deps,
    context: box.context,
    time,
    exchange: (name: VenueName): EmulatedVenue => venues.get(name) as EmulatedVenue,
    async close() {
      box.client.close();
      for (const one of venues.values()) await one.close();
    },
  };
}
