/** The product's adapter on an emulated exchange, in this process or inside workerd. */

import { createLink, type ExchangeLink } from "../../src/adapters/ccxt/account/exchange-link.ts";
import { ccxtVenue } from "../../src/adapters/ccxt/account/venue.ts";
import { LIVE_TIMING, type Quirks } from "../../src/adapters/ccxt/client/quirks.ts";
import { bitget } from "../../src/adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../../src/adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../../src/adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../../src/adapters/ccxt/exchanges/mexc.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import type { Timing, Venue } from "../../src/ports/venue.ts";
import type { Local } from "../../src/ports/within-time.ts";
import { heardLog } from "../support/heard.ts";
import { memoryAdapterStore } from "./adapter-store.ts";

export const QUIRKS = { mexc, gateio, bitget, kraken };

export interface Connection {
  readonly name: VenueName;
  readonly url: string;
  readonly keys?: { readonly key: string; readonly secret: string; readonly passphrase: string } | undefined;
  readonly timing?: Partial<Timing> | undefined;
  /** Loads ccxt's class in place of the exchange's own way. */
  readonly load?: Quirks["load"] | undefined;
}

/** What a process keeps of an exchange; `clock` is this machine's: signing and protocol time alike. */
export function adapterLink({ name, url, timing, load }: Connection, clock: () => Millis): ExchangeLink {
  let count = 0;
  const local: Local = {
    name: "conformance",
    monotonic: () => clock(),
    randomText: (length) => String(++count).padStart(length, "0"),
    sleep: (millis) => new Promise((after) => setTimeout(after, millis)),
  };
  return createLink({
    id: name,
    quirks: { ...QUIRKS[name], ...(load ? { load } : {}) },
    base: url,
    timing: { ...LIVE_TIMING, ...timing },
    rate: undefined,
    keeping: memoryAdapterStore(clock),
    local,
    log: heardLog,
    fetch: (address, init) => fetch(address, init),
    clock,
  });
}

/** A venue as one invocation makes it. */
export function adapterVenue(link: ExchangeLink, { name, keys }: Connection): Venue {
  const account = { exchange: name, kind: "live" as const, host: link.host };
  return ccxtVenue(link, { account, keys: async () => keys && { ...keys, hash: "" } });
}
