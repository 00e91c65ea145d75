/** The product's adapter on an emulated exchange, in this process or inside workerd. */
import { bitget } from "../../src/adapters/ccxt/bitget.ts";
import { gateio } from "../../src/adapters/ccxt/gateio.ts";
import { kraken } from "../../src/adapters/ccxt/kraken.ts";
import { mexc } from "../../src/adapters/ccxt/mexc.ts";
import { createPlace, type Place } from "../../src/adapters/ccxt/place.ts";
import { LIVE_TIMING } from "../../src/adapters/ccxt/quirks.ts";
import { ccxtVenue } from "../../src/adapters/ccxt/venue.ts";
import type { VenueName } from "../../src/config.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { Local, Timing, Venue } from "../../src/ports.ts";
import { heardLog } from "../support/heard.ts";
import { memoryKeeping } from "./keeping.ts";

const QUIRKS = { mexc, gateio, bitget, kraken };

export interface Connection {
  readonly name: VenueName;
  readonly url: string;
  readonly keys?: { readonly key: string; readonly secret: string; readonly passphrase: string } | undefined;
  readonly timing?: Partial<Timing> | undefined;
}

/** What a process keeps of an exchange; `clock` is this machine's: signing and protocol time alike. */
export function adapterPlace({ name, url, timing }: Connection, clock: () => Millis): Place {
  let count = 0;
  const local: Local = {
    name: "conformance",
    monotonic: () => clock(),
    randomText: (length) => String(++count).padStart(length, "0"),
    sleep: (millis) => new Promise((after) => setTimeout(after, millis)),
  };
  return createPlace({
    id: name,
    quirks: QUIRKS[name],
    base: url,
    timing: { ...LIVE_TIMING, ...timing },
    rate: undefined,
    keeping: memoryKeeping(clock),
    local,
    log: heardLog,
    fetch: (address, init) => fetch(address, init),
    clock,
  });
}

/** A venue as one invocation makes it. */
export function adapterVenue(place: Place, { name, keys }: Connection): Venue {
  const account = { exchange: name, kind: "live" as const, host: place.host };
  return ccxtVenue(place, { account, keys: async () => keys && { ...keys, hash: "" } });
}
