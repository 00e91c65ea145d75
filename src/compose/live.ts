import {
  type BuyFees,
  createLink,
  type ExchangeLink,
  noKeys,
} from "../adapters/ccxt/account/exchange-link.ts";
import { askKeyRights, checkKeys, type KeyCheck } from "../adapters/ccxt/account/reading.ts";
import { ccxtVenue } from "../adapters/ccxt/account/venue.ts";
import type { AdapterStore, CachedValue, KnownRights, MarketCache } from "../adapters/ccxt/client/ccxt.ts";
import type { Quirks } from "../adapters/ccxt/client/quirks.ts";
import {
  outboundRate,
  type PublicBudgets,
  publicBudgets,
  SHARED_FOR_MS,
} from "../adapters/ccxt/client/shared-reads.ts";
import type { Fetch } from "../adapters/ccxt/client/transport.ts";
import { bitget } from "../adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../adapters/ccxt/exchanges/mexc.ts";
import type { CredentialStore, OpenedKeys, StoredKeys } from "../adapters/libsql/credential-store.ts";
import type { StoredCredentials } from "../adapters/stored-keys.ts";
import type { LiveAccess } from "../adapters/streams/streams.ts";
import { keyHash } from "../kernel/digest.ts";
import { AppError, messageOf, SettingsError, VenueError } from "../kernel/errors.ts";
import type { Pair } from "../kernel/pair.ts";
import { prefixOf } from "../kernel/plain-text.ts";
import type { Millis } from "../kernel/time.ts";
import { type AccountKey, type AccountRef, accountKey, requestExchange } from "../model/account.ts";
import { TIERS, type VenueName } from "../model/market.ts";
import type { StrategyDefinitions } from "../ports/definition.ts";
import type { Deps } from "../ports/deps.ts";
import type { CalculationThread, HeavyLane } from "../ports/heavy.ts";
import type { LeadsInward, Post, SendMail } from "../ports/outbound.ts";
import type { CandleFile, CandleReader, Keys, Streams, Timing, Venue } from "../ports/venue.ts";
import type { Local, Log, Tracer } from "../ports/within-time.ts";
import type { Migration, NewSchema } from "../storage/client/migrate.ts";
import type { Database } from "../storage/client/safe-client.ts";
import { type AccountKeys, type Config, type ConfiguredExchange, refuseSameKeys } from "./config.ts";

const QUIRKS: Record<VenueName, Quirks> = { mexc, gateio, bitget, kraken };

/** Options for tests and slow networks. */
export interface LiveOptions {
  readonly fetch?: Fetch;
  readonly timing?: Partial<Timing>;
  /** How long a public response is shared with other callers; 0 disables sharing. */
  readonly keptFor?: Millis;
  /** Wraps the database's market storage, for platforms whose instances are short-lived. */
  readonly markets?: (inner: MarketCache) => MarketCache;
  /** Rate limits for requests without a token, if they must outlive one invocation. */
  readonly budgets?: PublicBudgets;
  /** Fee assets that outlive one invocation. */
  readonly buyFees?: BuyFees;
  /** Replaces this machine's clock if time is simulated. */
  readonly clock?: () => Millis;
}

interface LiveParts {
  readonly keeping: AdapterStore;
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
      keptFor: options.keptFor ?? SHARED_FOR_MS,
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

interface KeyParts {
  readonly config: Config;
  readonly credentials: StoredCredentials<Omit<Keys, "hash">>;
  readonly found: (exchange: string) => ConfiguredExchange;
  readonly accountOf: (exchange: string) => AccountRef;
}

/** The server's own keys of each exchange, from the environment, the settings file or the database. */
function liveKeys({ config, credentials, found, accountOf }: KeyParts) {
  const stored = (exchange: string) =>
    credentials.get(accountKey(accountOf(exchange))).catch((error: unknown) => {
      if (!(error instanceof SettingsError)) throw error;
      throw new SettingsError(undecryptableKeysText(exchange, error.message), { cause: error });
    });
  // The environment overrides stored keys.
  const own = async (exchange: string): Promise<Keys | undefined> => {
    const { keys, venue: name } = found(exchange);
    const values = keys ?? (await stored(exchange));
    if (!values) return undefined;
    // Another process can store keys while this one runs, without knowing this environment.
    const others = config.exchanges.flatMap(({ id, venue, keys: otherKeys }) =>
      otherKeys && id !== exchange ? [{ id, venue, key: otherKeys.key }] : [],
    );
    if (!keys) refuseSameKeys([...others, { id: exchange, venue: name, key: values.key }]);
    return { ...(await hashed(values)), origin: keyOriginOf(exchange, keys) };
  };
  /** Returns the keys for a call; without keys it fails with the usual error. */
  const forCall = (exchange: string): Promise<Keys | undefined> =>
    own(exchange).catch((error: unknown) => {
      if (!(error instanceof SettingsError)) throw error;
      throw new VenueError("missing_credentials", error.message, { cause: error });
    });
  const isConfigured = (exchange: string): boolean =>
    found(exchange).keys !== undefined || credentials.has(accountKey(accountOf(exchange)));

  return { own, forCall, isConfigured };
}

/** Returns where the server's keys are, and how to replace them. */
function keyOriginOf(exchange: string, keys: ConfiguredExchange["keys"]): string {
  const command = `\`edgemaker exchange add ${exchange}\``;
  if (!keys) return `in the database; replace it with ${command}`;
  return keys.from === "file"
    ? `in edgemaker.json, which overrides the database; replace it with ${command}, and restart the server`
    : `${prefixOf(exchange)}_API_KEY in the environment, which overrides the database; replace it there, and restart the server`;
}

const hashedKeys = new WeakMap<object, Keys>();

/** Hashes keys from settings once, because they do not change within a process. */
async function hashed(keys: Omit<Keys, "hash">): Promise<Keys> {
  const known = hashedKeys.get(keys);
  if (known) return known;
  const made = { ...keys, hash: await keyHash(keys.key) };
  hashedKeys.set(keys, made);
  return made;
}

interface RightsParts {
  readonly exchanges: readonly string[];
  readonly accountOf: (exchange: string) => AccountKey;
  readonly keysOf: (exchange: string) => Promise<Keys | undefined>;
  /** Reads permissions. Throws if the exchange does not return them. */
  readonly ask: (exchange: string, keys: Keys) => Promise<boolean | undefined>;
  readonly keeper: Pick<MarketCache, "rights" | "keepRights">;
  readonly log: Log;
}

interface KeyRights {
  /**
   * Reads the permissions of every configured key that was not checked within this time, one after another while
   * `mayGoOn`, and logs which keys can withdraw. Returns whether all of them were checked.
   */
  ask(within: Millis, mayGoOn?: () => boolean): Promise<boolean>;
  /** Returns warnings about the configured keys, without any request. */
  warnings(): Promise<readonly string[]>;
}

interface Configured {
  readonly exchange: string;
  readonly keys: Keys;
  /** Stored permissions of these keys. */
  readonly known: CachedValue<KnownRights> | undefined;
}

export const mayWithdrawText = (exchange: string): string =>
  `the keys of ${exchange} can withdraw; create keys that can only read and trade`;

/** Manages permissions of the configured keys, from settings or stored. */
function keyRightsOf({ exchanges, accountOf, keysOf, ask, keeper, log }: RightsParts): KeyRights {
  async function configured(): Promise<readonly Configured[]> {
    const all = await keeper.rights();
    const found: Configured[] = [];
    for (const exchange of exchanges) {
      // Keys that cannot be decrypted are reported elsewhere, and do not prevent the check of others.
      const keys = await keysOf(exchange).catch(() => undefined);
      const kept = all.get(accountOf(exchange));
      if (keys) found.push({ exchange, keys, known: kept?.value.key === keys.hash ? kept : undefined });
    }
    return found;
  }

  async function describe({ exchange, keys, known }: Configured): Promise<boolean | undefined> {
    try {
      return await ask(exchange, keys);
    } catch (error) {
      log("warn", `${exchange} does not show the permissions of its keys`, {
        exchange,
        reason: messageOf(error),
      });
      return known?.value.mayWithdraw;
    }
  }

  return {
    async ask(within, mayGoOn = () => true) {
      const due = (await configured()).filter(({ known }) => !known || known.age >= within);
      for (const configured of due) {
        if (!mayGoOn()) return false;
        const { exchange, keys } = configured;
        const mayWithdraw = await describe(configured);
        if (mayWithdraw) log("warn", mayWithdrawText(exchange), { exchange });
        await keeper.keepRights(accountOf(exchange), { key: keys.hash, mayWithdraw });
      }
      return true;
    },

    async warnings() {
      const risky = (await configured()).filter(({ known }) => known?.value.mayWithdraw);
      return risky.map(({ exchange }) => mayWithdrawText(exchange));
    },
  };
}

/** Check of stored keys that cannot be decrypted. */
export interface CredentialCheck {
  /** Returns the problem of each configured exchange whose stored keys cannot be decrypted. */
  troubles(): Promise<ReadonlyMap<string, string>>;
  /**
   * Throws SettingsError if two exchange ids would use the same keys, from settings or stored; `given` are an
   * exchange's new keys.
   */
  refuseSame(given?: { readonly exchange: string; readonly keys: StoredKeys }): Promise<void>;
}

interface CredentialParts {
  readonly exchanges: Config["exchanges"];
  readonly accountOf: (exchange: string) => AccountKey;
  readonly credentials: Pick<CredentialStore, "opened">;
}

export function credentialCheck({ exchanges, accountOf, credentials }: CredentialParts): CredentialCheck {
  const stored = async (): Promise<ReadonlyMap<AccountKey, OpenedKeys>> =>
    new Map((await credentials.opened()).map((openedKeys) => [openedKeys.account, openedKeys]));

  return {
    async troubles() {
      const all = await stored();
      const found = new Map<string, string>();
      for (const { id, keys } of exchanges) {
        const trouble = keys ? undefined : all.get(accountOf(id))?.trouble;
        if (trouble !== undefined) found.set(id, undecryptableKeysText(id, trouble));
      }
      return found;
    },

    async refuseSame(given) {
      const all = await stored();
      const accounts = exchanges.flatMap(({ id, venue, keys }): AccountKeys[] => {
        const own = id === given?.exchange ? given.keys : (keys ?? all.get(accountOf(id))?.keys);
        return own ? [{ id, venue, key: own.key }] : [];
      });
      refuseSameKeys(accounts);
    },
  };
}

const undecryptableKeysText = (exchange: string, why: string): string =>
  `the stored keys of ${exchange} cannot be decrypted: ${why}`;

/** Functions and files that the platform provides. */
export interface Runtime {
  readonly client: Database;
  /** Applied at the start; empty if another program applies them. */
  readonly migrations: readonly Migration[];
  /** What the migrations create in a new database. */
  readonly schema?: NewSchema | undefined;
  /** Whether it can migrate a database that an older program created. */
  readonly mayMigrate?: boolean;
  /** The migration that a database must have as its newest one, if another program applies them. */
  readonly newest?: string;
  readonly local: Local;
  readonly log: Log;
  /** Strategies that the user wrote; undefined if this process runs none and leaves their orders as they are. */
  readonly definitions?: StrategyDefinitions | undefined;
  /** Whether it leaves a strategy as it is that is not among them, because another process runs it. */
  readonly leavesUnknown?: boolean;
  /** Reads a file's candles in any supported format. */
  readonly readCandles: (file: string, pair: Pair) => Promise<CandleFile>;
  /** Candles that were downloaded or imported on this machine. */
  readonly kept?: CandleReader;
  readonly live?: LiveOptions;
  /** Whether the database's kind was already checked. */
  readonly isChecked?: boolean;
  /** Whether a person is managing the keys, so invalid keys are not an error. */
  readonly putsKeysInOrder?: boolean;
  readonly requests?: (() => number) | undefined;
  /** Interval of its passes. */
  readonly interval?: Millis | undefined;
  readonly tracer?: Tracer | undefined;
  /** Connects the exchanges' streams; absent if the platform keeps no connections open. */
  readonly streams?: (accessOf: LiveVenues["accessOf"]) => Streams;
  /** Sends messages; absent, no alerts are sent. */
  readonly post?: Post;
  readonly mail?: SendMail;
  /** Absent if the platform reaches no private addresses. */
  readonly inward?: LeadsInward;
  readonly heavy?: HeavyLane;
  readonly calculationThread?: CalculationThread | undefined;
  /** Returns why this machine blocks orders; undefined if it does not. */
  readonly killed?: () => string | undefined;
  /** Path of the kill file, for messages. */
  readonly killFile?: string;
}
