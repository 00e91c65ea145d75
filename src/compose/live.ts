import { type BuyFees, createLink, type ExchangeLink } from "../adapters/ccxt/account/exchange-link.ts";
import { askKeyRights, checkKeys, type KeyCheck } from "../adapters/ccxt/account/key-check.ts";
import { noKeys } from "../adapters/ccxt/account/private-exchange.ts";
import { ccxtVenue } from "../adapters/ccxt/account/venue.ts";
import type { Keeping, MarketKeeper } from "../adapters/ccxt/client/keeping.ts";
import { outboundRate, type PublicBudgets, publicBudgets } from "../adapters/ccxt/client/public-budget.ts";
import type { Quirks } from "../adapters/ccxt/client/quirks.ts";
import { SHARED_FOR } from "../adapters/ccxt/client/shared-reads.ts";
import type { Fetch } from "../adapters/ccxt/client/transport.ts";
import { bitget } from "../adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../adapters/ccxt/exchanges/mexc.ts";
import type { LiveAccess } from "../adapters/streams/streams.ts";
import type { StoredCredentials } from "../adapters/vault/stored-keys.ts";
import { AppError } from "../kernel/errors.ts";
import type { Millis } from "../kernel/time.ts";
import { type AccountRef, accountKey, requestExchange } from "../model/account.ts";
import { TIERS, type VenueName } from "../model/venues.ts";
import type { Deps } from "../ports/deps.ts";
import type { Local, Log } from "../ports/local.ts";
import type { Keys, Timing, Venue } from "../ports/venue.ts";
import type { Config, ConfiguredExchange } from "./config.ts";
import { hashed, liveKeys } from "./live-keys.ts";
import { type KeyRights, keyRightsOf } from "./live-rights.ts";

const QUIRKS: Record<VenueName, Quirks> = { mexc, gateio, bitget, kraken };

/** Options for tests and slow networks. */
export interface LiveOptions {
  readonly fetch?: Fetch;
  readonly timing?: Partial<Timing>;
  /** How long a public response is shared with other callers; 0 disables sharing. */
  readonly keptFor?: Millis;
  /** Wraps the database's market storage, for platforms whose instances are short-lived. */
  readonly markets?: (inner: MarketKeeper) => MarketKeeper;
  /** Rate limits for requests without a token, if they must outlive one invocation. */
  readonly budgets?: PublicBudgets;
  /** Fee assets that outlive one invocation. */
  readonly buyFees?: BuyFees;
  /** Replaces this machine's clock if time is simulated. */
  readonly clock?: () => Millis;
}

interface LiveParts {
  readonly keeping: Keeping;
  readonly credentials: StoredCredentials<Omit<Keys, "hash">>;
  readonly local: Local;
  readonly log: Log;
}

export interface LiveVenues extends Pick<Deps, "venue" | "venueOf" | "marketTime"> {
  /** Returns the server's account on a configured exchange. */
  accountOf(exchange: string): AccountRef;
  /** Returns access to the server's account; undefined for accounts of others, and without keys. */
  accessOf(account: AccountRef): LiveAccess | undefined;
  /** Returns whether this process has keys for it, from settings or stored. */
  isConfigured(exchange: string): boolean;
  /** Reads which account keys open: the given ones, or the server's. */
  checkKeys(exchange: string, keys?: Omit<Keys, "hash">): Promise<KeyCheck>;
  readonly rights: KeyRights;
}

/** Connects the real exchanges, each at its own URL or at the configured one. */
export function liveVenues(config: Config, given: LiveParts, options: LiveOptions = {}): LiveVenues {
  const { markets } = given.keeping;
  const parts = { ...given, keeping: { ...given.keeping, markets: options.markets?.(markets) ?? markets } };
  const link = linker(config, parts, options);
  const links = new Map(config.exchanges.map((entry) => [entry.id, { ...entry, link: link(entry) }]));

  const found = (exchange: string) => {
    const one = links.get(exchange);
    if (!one) throw new AppError("Invalid exchange", `${exchange} is not configured`);
    return one;
  };
  const accountOf = (exchange: string): AccountRef => ({
    exchange,
    kind: "live",
    host: found(exchange).link.host,
  });
  const keys = liveKeys({ config, credentials: parts.credentials, found, accountOf });

  const accessOf = ({ exchange, kind, host }: AccountRef): LiveAccess | undefined => {
    const entry = links.get(exchange);
    if (kind !== "live" || entry?.link.host !== host || !keys.isConfigured(exchange)) return undefined;
    return { venue: entry.venue, link: entry.link, keys: () => keys.forCall(exchange) };
  };
  return {
    accountOf,
    isConfigured: keys.isConfigured,
    rights: keyRightsOf({
      exchanges: [...links.keys()],
      accountOf: (exchange) => accountKey(accountOf(exchange)),
      keysOf: keys.own,
      ask: (exchange, own) => askKeyRights(found(exchange).link, accountOf(exchange), own),
      keeper: parts.keeping.markets,
      log: parts.log,
    }),

    venue(exchange, own): Venue {
      // Orders with keys of a request belong to another account, which no pass of this process can handle.
      const name = own ? requestExchange(exchange, own.hash) : exchange;
      const account: AccountRef = { ...accountOf(exchange), exchange: name };
      return ccxtVenue(found(exchange).link, {
        account,
        keys: () => (own ? Promise.resolve(own) : keys.forCall(exchange)),
      });
    },

    venueOf(account) {
      const access = accessOf(account);
      return access && ccxtVenue(access.link, { ...access, account });
    },
    accessOf,

    async checkKeys(exchange, requested) {
      const own = requested ? await hashed(requested) : await keys.own(exchange);
      if (!own) throw noKeys(exchange);
      const keyCheck = await checkKeys(found(exchange).link, accountOf(exchange), own);
      const { mayWithdraw } = keyCheck;
      const account = accountKey(accountOf(exchange));
      if (!requested) await parts.keeping.markets.keepRights(account, { key: own.hash, mayWithdraw });
      return keyCheck;
    },

    marketTime: (_account, now) => now,
  };
}

/** Returns a function that connects one configured exchange. */
function linker(config: Config, parts: LiveParts, options: LiveOptions) {
  const budgets = options.budgets ?? publicBudgets(parts.local.monotonic);
  return ({ id, venue }: ConfiguredExchange): ExchangeLink => {
    const quirks = QUIRKS[venue];
    const base = config.venueUrls.get(id) ?? `https://${quirks.host}`;
    return createLink({
      ...parts,
      id,
      quirks,
      base,
      timing: { ...quirks.timing, ...options.timing, ...(isLoopbackUrl(base) ? config.timing : {}) },
      rate: quirks.tiers?.[config.tiers.get(id) ?? TIERS.kraken[0]] ?? quirks.rate,
      fetch: options.fetch ?? ((url, init) => fetch(url, init)),
      clock: options.clock ?? (() => Date.now()),
      keptFor: options.keptFor ?? SHARED_FOR,
      buyFees: options.buyFees,
      budget: budgets(
        new URL(base).host,
        quirks.name,
        outboundRate(quirks.publicRate, config.rateLimits?.outbound),
      ),
    });
  };
}

const isLoopbackUrl = (base: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(base).hostname);
