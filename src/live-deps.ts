import { bitget } from "./adapters/ccxt/bitget.ts";
import { gateio } from "./adapters/ccxt/gateio.ts";
import type { Keeping, MarketKeeper } from "./adapters/ccxt/keeping.ts";
import { kraken } from "./adapters/ccxt/kraken.ts";
import { mexc } from "./adapters/ccxt/mexc.ts";
import { createPlace, type Place } from "./adapters/ccxt/place.ts";
import type { Quirks } from "./adapters/ccxt/quirks.ts";
import type { Fetch } from "./adapters/ccxt/transport.ts";
import { ccxtVenue } from "./adapters/ccxt/venue.ts";
import type { Config, ConfiguredExchange, VenueName } from "./config.ts";
import { AppError } from "./errors.ts";
import type { AccountRef, Deps, Keys, Local, Log, Timing, Venue } from "./ports.ts";

const QUIRKS: Record<VenueName, Quirks> = { mexc, gateio, bitget, kraken };

/** What tests and a slow network may set otherwise. */
export interface LiveOptions {
  readonly fetch?: Fetch;
  readonly timing?: Partial<Timing>;
  /** Put before the database's, where instances are too short-lived to remember. */
  readonly markets?: (inner: MarketKeeper) => MarketKeeper;
}

interface Parts {
  readonly keeping: Keeping;
  readonly local: Local;
  readonly log: Log;
}

type Venues = Pick<Deps, "venue" | "venueOf" | "marketTime">;

/** The real exchanges, each at its own address or at the one that the operator has named. */
export function liveVenues(config: Config, given: Parts, options: LiveOptions = {}): Venues {
  const { keeping } = given;
  const parts = {
    ...given,
    keeping: { ...keeping, markets: options.markets?.(keeping.markets) ?? keeping.markets },
  };
  const places = new Map(config.exchanges.map((one) => [one.id, { ...one, place: placeOf(one) }]));

  function placeOf({ id, venue }: ConfiguredExchange): Place {
    const quirks = QUIRKS[venue];
    const named = config.venueUrls.get(id);
    const base = named ?? `https://${quirks.host}`;
    return createPlace({
      ...parts,
      id,
      quirks,
      base,
      timing: { ...quirks.timing, ...options.timing },
      // A venue on this very machine is a test's: nobody counts its calls.
      rate: isLoopback(base) ? undefined : quirks.rate,
      fetch: options.fetch ?? ((url, init) => fetch(url, init)),
      clock: () => Date.now(),
    });
  }

  const found = (exchange: string) => {
    const one = places.get(exchange);
    if (!one) throw new AppError("Invalid exchange", `${exchange} is not configured`);
    return one;
  };

  return {
    venue(exchange, keys): Venue {
      const { place, keys: own } = found(exchange);
      // Orders with keys of a request are another account's: no step of ours could look after them.
      const name = keys ? `${exchange}#${keys.hash}` : exchange;
      const account: AccountRef = { exchange: name, kind: "live", host: place.host };
      return ccxtVenue(place, { account, keys: async () => keys ?? withHash(own) });
    },
    venueOf(account) {
      const one = places.get(account.exchange);
      if (account.kind !== "live" || one?.place.host !== account.host || !one.keys) return undefined;
      return ccxtVenue(one.place, { account, keys: async () => withHash(one.keys) });
    },
    marketTime: (_account, now) => now,
  };
}

const withHash = (keys: ConfiguredExchange["keys"]): Keys | undefined => keys && { ...keys, hash: "" };

const isLoopback = (base: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(base).hostname);
