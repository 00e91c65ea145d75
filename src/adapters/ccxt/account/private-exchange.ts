import { VenueError } from "../../../kernel/errors.ts";
import { prefixOf } from "../../../kernel/key-names.ts";
import type { Pair } from "../../../kernel/pair.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { Keys } from "../../../ports/venue.ts";
import type { Ccxt, Dict } from "../client/ccxt.ts";
import type { ClockCheck } from "../client/clock-check.ts";
import { createExchange, type ExchangeLink } from "./exchange-link.ts";

/** Settings of the next request; calls of one instance are serial, so there is only one. */
export interface NextRequest {
  paid: () => Promise<void>;
  mayLeave: () => boolean;
  headers: Readonly<Record<string, string>>;
}

interface PrivateAccess {
  readonly keys: () => Promise<Keys | undefined>;
  readonly now: () => Millis;
  readonly nonce: () => number;
  readonly check: ClockCheck;
}

/** Returns an instance that signs, created on first use. */
export function privateExchange(link: ExchangeLink, { keys, now, nonce, check }: PrivateAccess) {
  const { quirks, catalog } = link;
  const next: NextRequest = { paid: async () => undefined, mayLeave: () => true, headers: {} };
  const markets = new Map<Pair, Dict>();
  let made: Promise<Ccxt> | undefined;

  async function make(): Promise<Ccxt> {
    const exchange = await createExchange({
      ...link,
      clock: now,
      keys: usable(link, await keys()),
      paid: () => next.paid(),
      mayLeave: () => next.mayLeave(),
      headers: () => next.headers,
      onDate: check.answered,
    });
    exchange.setMarkets([]);
    if (quirks.serial) exchange.nonce = nonce;
    return exchange;
  }

  return {
    next,
    /** Returns the instance after loading this pair's market. */
    async with(symbol: Pair | undefined): Promise<Ccxt> {
      made ??= make();
      const exchange = await made;
      if (symbol === undefined || markets.has(symbol)) return exchange;
      markets.set(symbol, await catalog.known(symbol));
      const all = [...markets.values()];
      exchange.setMarkets(all);
      quirks.withMarkets?.(exchange, all);
      return exchange;
    },
  };
}

/** Error for missing keys; it explains where edgemaker looks for them. */
export function noKeys(id: string): VenueError {
  const name = prefixOf(id);
  return new VenueError(
    "missing_credentials",
    `there are no keys for ${id}; set ${name}_API_KEY and ${name}_SECRET, or store them with edgemaker exchange add ${id}`,
  );
}

function usable({ id, quirks }: ExchangeLink, keys: Keys | undefined): Keys {
  if (!keys) throw noKeys(id);
  if (quirks.passphrase && !keys.passphrase)
    throw new VenueError("missing_credentials", `keys of ${quirks.name} need their passphrase too`);
  return keys;
}
