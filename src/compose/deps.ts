import {
  outboundRate,
  type PublicBudget,
  type PublicBudgets,
  publicBudgets,
} from "../adapters/ccxt/client/shared-reads.ts";
import { cached, IRIS_URL, irisAggregator } from "../adapters/iris.ts";
import { libsqlAdapterStore } from "../adapters/libsql/adapter-store.ts";
import { type CredentialStore, credentialStore } from "../adapters/libsql/credential-store.ts";
import { type DryBooks, dryBooks } from "../adapters/libsql/dry-books.ts";
import { createStore } from "../adapters/libsql/store.ts";
import { dryKey, dryVenue } from "../adapters/sandbox/dry-venue.ts";
import { importSigner, NO_STORED_KEYS, storedKeys } from "../adapters/stored-keys.ts";
import { tracedFetch } from "../adapters/traced-fetch.ts";
import { dexPrice, pricedPools } from "../dex/price.ts";
import { kindsOf } from "../engine/accounts.ts";
import { decimal, ZERO } from "../kernel/decimal.ts";
import { AppError, SettingsError, VenueError } from "../kernel/errors.ts";
import { medianOf, midOf } from "../kernel/spread.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import { kindsWith } from "../kinds.ts";
import { createProofKeys, createProofStore } from "../liquidity/store/proofs.ts";
import { createAgreementStore, createLiquidityStore, type LiquidityDeps } from "../liquidity/store/store.ts";
import { type AccountRef, accountKey, type Balance } from "../model/account.ts";
import { type BidAsk, VENUES } from "../model/market.ts";
import type { NotifyDeps } from "../notify/operations/deliver.ts";
import { heartbeat } from "../notify/operations/heartbeat.ts";
import { createNotifyStore } from "../notify/store.ts";
import type { Deps, ServerKeys } from "../ports/deps.ts";
import type { DryRuns } from "../ports/exchanges.ts";
import { forAnyone, type KillHere, withKillHere } from "../ports/kill-permit.ts";
import type { AdaPrice, Aggregator, Dex, ExchangeInfo, MarketData, Venue } from "../ports/venue.ts";
import { withinTime } from "../ports/within-time.ts";
import { createReportStore, type ReportDeps } from "../report/store.ts";
import type { Context } from "../storage/client/context.ts";
import { importKek } from "../storage/client/envelope.ts";
import { openDatabase } from "../storage/client/safe-client.ts";
import { createMetricsStore, type MetricsDeps } from "../storage/metrics.ts";
import type { Config, ConfiguredExchange } from "./config.ts";
import { type CredentialCheck, credentialCheck, type LiveVenues, liveVenues, type Runtime } from "./live.ts";
import { connectCandles, connectReference } from "./reference.ts";
import { type SandboxOptions, sandboxVenues, type Venues } from "./sandbox.ts";

/** All dependencies: those that operations share, and those of each feature's stores. */
export type ServiceDeps = NotifyDeps & ReportDeps & LiquidityDeps & MetricsDeps;

/** Connects ports to adapters; the only place that does. */
export async function createDeps(
  config: Config,
  runtime: Runtime,
  options: SandboxOptions = {},
): Promise<ServiceDeps & { readonly live?: Live; readonly channels: Channels; close(): void }> {
  const {
    client,
    migrations,
    newest,
    schema,
    mayMigrate,
    local,
    isChecked,
    tracer,
    heavy,
    calculationThread,
  } = runtime;
  const kind = config.sandbox ? "sandbox" : "live";
  const context = await openDatabase({
    client,
    local,
    migrations,
    newest,
    schema,
    mayMigrate,
    kind,
    isChecked,
    tracer,
  });
  const channels = createNotifyStore(context, await Promise.all(config.keks.map(importKek)));
  const budgets = runtime.live?.budgets ?? publicBudgets(local.monotonic);
  const ask = tracedFetch(runtime.live?.fetch ?? ((url, init) => fetch(url, init)), tracer);
  const live = config.sandbox
    ? undefined
    : await connectLive(config, context, { ...runtime, live: { ...runtime.live, budgets, fetch: ask } });
  const venues: Venues = live ? live.venues : await sandboxVenues(config, context, runtime, options);
  // Two ids with the same keys stay until somebody fixes them, so one check is enough.
  if (live && !isChecked && !runtime.putsKeysInOrder) await refuseSame(live, context);
  const exchanges = config.exchanges.map((configuredExchange) => infoOf(configuredExchange, live));
  const prices = connectPrices(config, { ...venues, exchanges, budgets, monotonic: local.monotonic });
  const killHere = killHereOf(config, runtime);
  return {
    ...prices,
    ...engineDeps(config, runtime, { context, killHere }),
    ...venueDeps(venues, { context, exchanges, live }),
    ...(live ? { live, keys: serverKeys(config, live) } : {}),
    ...tellingDeps(config, runtime, { context, channels }),
    exchanges,
    ...(runtime.kept ? { kept: runtime.kept } : {}),
    streams: live && runtime.streams?.(live.venues.accessOf),
    signers: await Promise.all(config.keks.map(importSigner)),
    killHere,
    tracer,
    heavy,
    calculationThread,
    close: () => context.client.close(),
  };
}

/** Returns what a pass needs besides its venue and prices of others. */
const engineDeps = (
  { limits }: Config,
  { definitions, leavesUnknown, local, log, requests, interval }: Runtime,
  { context, killHere }: { context: Context; killHere: KillHere },
) => ({
  store: withKillHere(createStore(context), killHere),
  kinds: kindsOf(kindsWith(definitions, leavesUnknown)),
  local,
  log,
  limits,
  requests,
  interval,
});

const killHereOf = (config: Config, runtime: Runtime): KillHere => ({
  reason: () => (config.kill ? "EDGEMAKER_KILL is set" : runtime.killed?.()),
  file: runtime.killFile,
});

const refuseSame = ({ check }: Live, { client }: Context): Promise<void> =>
  check.refuseSame().catch((error: unknown) => {
    client.close();
    throw error;
  });

/** Connects the chain and every other venue as price sources. */
function connectPrices(
  config: Config,
  {
    venue,
    aggregator,
    exchanges,
    budgets,
    monotonic,
  }: Venues & { exchanges: readonly ExchangeInfo[]; budgets: PublicBudgets; monotonic: () => Millis },
) {
  const inTime = timeLimit(config.readTimeoutMillis);
  const chain =
    aggregator && !config.venueUrls.has("iris")
      ? { own: aggregator, forAnyone: aggregator }
      : liveAggregators(config, { budgets, monotonic });
  const dexOf = (chosen: Aggregator, venueOf: DexParts["venue"]) =>
    connectDex({ aggregator: chosen, exchanges, venue: venueOf, inTime });
  const own = { dex: dexOf(chain.own, venue), venue };
  return {
    inTime,
    dex: dexOf(chain.forAnyone, (id) => forAnyone(venue(id))),
    reference: connectReference({ exchanges, inTime, ...own }),
    candlesAt: connectCandles({ inTime, venue }),
  };
}

/** Returns the venues of real and of simulated money. */
function venueDeps(
  { venue, venueOf, marketTime, letPass }: Venues,
  {
    context,
    exchanges,
    live,
  }: { context: Context; exchanges: readonly ExchangeInfo[]; live: Live | undefined },
) {
  const hostOf = (exchange: string) => live?.venues.accountOf(exchange).host ?? "";
  const dry = connectDryRuns({ books: dryBooks(context), exchanges, venue, hostOf });
  return {
    venue,
    dry,
    venueOf: (account: AccountRef) => (account.kind === "dry" ? dry.venueOf(account) : venueOf(account)),
    marketTime,
    ...(letPass ? { letPass } : {}),
  };
}

const serverKeys = ({ exchanges }: Config, { venues, credentials, check }: Live): ServerKeys => ({
  async list() {
    const stored = new Map((await credentials.list()).map((one) => [one.account, one.createdAt]));
    const troubles = await check.troubles();
    return exchanges.map(({ id, keys }) => {
      const storedAt = (keys ? undefined : stored.get(accountKey(venues.accountOf(id)))) ?? null;
      const from = keys ? (keys.from ?? "environment") : storedAt === null ? "nowhere" : "database";
      return { exchange: id, from, storedAt, trouble: troubles.get(id) ?? null };
    });
  },
  check: (exchange) => venues.checkKeys(exchange),
  async put(exchange, keys, { by, allowsWithdrawal }) {
    if (exchanges.find(({ id }) => id === exchange)?.keys)
      throw new SettingsError(
        `the server's settings have keys of ${exchange}, which override stored ones; remove them and restart the server`,
      );
    await check.refuseSame({ exchange, keys });
    const rights = await venues.checkKeys(exchange, keys);
    if (rights.mayWithdraw && !allowsWithdrawal)
      throw new SettingsError("these keys can withdraw; create keys that can only read and trade");
    await credentials.put(accountKey(venues.accountOf(exchange)), keys, by);
    return rights;
  },
  troubles: async () => [...(await check.troubles()).values()],
  warnings: async () => [...(await check.troubles()).values(), ...(await venues.rights.warnings())],
});

/** Returns the dependencies for metrics, reports and alerts. */
const tellingDeps = (
  { heartbeat: beats, watched, outboundHosts, keks }: Config,
  { post, mail, inward, local, log }: Runtime,
  { context, channels }: { context: Context; channels: Channels },
) => ({
  channels,
  metrics: createMetricsStore(context),
  reports: createReportStore(context),
  liquidity: {
    store: createLiquidityStore(context),
    pairs: watched,
    agreements: createAgreementStore(context),
    proofs: {
      ...createProofStore(context),
      ...createProofKeys(context, () => Promise.all(keks.map(importKek))),
    },
  },
  ...(post && beats ? { heartbeat: heartbeat(beats, { post, local, log }) } : {}),
  ...(post ? { notify: { store: channels, post, mail, inward, hosts: outboundHosts } } : {}),
});

const infoOf = ({ id, venue }: ConfiguredExchange, live: Live | undefined): ExchangeInfo => ({
  id,
  venue,
  kind: live ? "live" : "sandbox",
  passphrase: VENUES[venue].passphrase,
  quotes: VENUES[venue].quotes,
  // Keys can be stored and removed while the server runs.
  get configured() {
    return live?.venues.isConfigured(id) ?? true;
  },
});

/** Alert channels as commands on this machine configure them. */
export type Channels = ReturnType<typeof createNotifyStore>;

/** What only commands on this machine use: the storage of keys, and a check of their access. */
export interface Live {
  readonly venues: LiveVenues;
  readonly credentials: CredentialStore;
  readonly check: CredentialCheck;
}

async function connectLive(config: Config, context: Context, { local, log, live }: Runtime): Promise<Live> {
  const credentials = credentialStore(context, await Promise.all(config.keks.map(importKek)));
  const stored = config.keks.length > 0 ? await storedKeys(credentials, local) : NO_STORED_KEYS;
  const parts = { keeping: libsqlAdapterStore(context), credentials: stored, local, log };
  const venues = liveVenues(config, parts, live);
  const accountOf = (exchange: string) => accountKey(venues.accountOf(exchange));
  const { exchanges } = config;
  const kept: CredentialStore = {
    ...credentials,
    async put(...keys) {
      await credentials.put(...keys);
      await stored.refresh();
    },
    async remove(...keys) {
      const isRemoved = await credentials.remove(...keys);
      await stored.refresh();
      return isRemoved;
    },
  };
  return { credentials: kept, venues, check: credentialCheck({ exchanges, accountOf, credentials }) };
}

const TTL: Millis = 5 * SECOND;
const WHO = "the DEX aggregator";

/** Rate limit for four tokens, each requested once per cache period. */
const RATE = { burst: 8, perSecond: 1 };

interface DexParts extends Pick<Deps, "exchanges" | "inTime"> {
  readonly venue: (exchange: string) => Pick<MarketData, "ticker">;
  readonly aggregator: Aggregator;
}

/** Returns the live aggregators of the settings: for passes, and with a rate limit for other callers. */
function liveAggregators(
  {
    venueUrls,
    readTimeoutMillis,
    rateLimits,
  }: Pick<Config, "venueUrls" | "readTimeoutMillis" | "rateLimits">,
  { budgets, monotonic }: { readonly budgets: PublicBudgets; readonly monotonic: () => Millis },
): { readonly own: Aggregator; readonly forAnyone: Aggregator } {
  const url = venueUrls.get("iris") ?? IRIS_URL;
  const iris = irisAggregator({ url, timeoutMillis: readTimeoutMillis });
  const budget = budgets(new URL(url).host, WHO, outboundRate(RATE, rateLimits?.outbound));
  const keeping = { ttl: TTL, monotonic };
  return { own: cached(iris, keeping), forAnyone: cached(within(budget, iris), keeping) };
}

const within = (budget: PublicBudget, { pools }: Aggregator): Aggregator => ({
  async pools(token) {
    const refusal = budget.refusal();
    if (refusal) throw refusal;
    return pools(token);
  },
});

/** Connects the chain's exchanges through an aggregator, with ADA's price from the configured exchanges. */
export function connectDex({ aggregator, exchanges, venue, inTime }: DexParts): Dex {
  const pools: Dex["pools"] = (token) => inTime(WHO, () => aggregator.pools(token));
  const quoteOf = (id: string) => inTime(id, async () => venue(id).ticker("ADA/USDT"));
  const ada = async (): Promise<AdaPrice> => {
    const quotes = await Promise.allSettled(exchanges.map(({ id }) => quoteOf(id)));
    return adaPrice(exchanges.map(({ id }, index) => ({ id, quote: settledValue(quotes[index]) })));
  };
  const market: Dex["market"] = async (token) => {
    const [found, worth] = await Promise.all([pools(token), ada()]);
    return { pools: pricedPools(found), ada: worth };
  };
  return {
    pools,
    market,
    async price(token) {
      const price = dexPrice(token, await market(token));
      if (!price)
        throw new VenueError("unavailable", `no pool of ${token} holds 1,000 ADA or more and has a price`);
      return price;
    },
  };
}

const settledValue = <T>(settled: PromiseSettledResult<T> | undefined): T | undefined =>
  settled?.status === "fulfilled" ? settled.value : undefined;

function adaPrice(quotes: readonly { id: string; quote: BidAsk | undefined }[]): AdaPrice {
  const mids = quotes.flatMap(({ id, quote }) =>
    quote && quote.bid > ZERO && quote.ask > ZERO ? [{ id, mid: midOf(quote) }] : [],
  );
  const price = medianOf(mids.map(({ mid }) => mid));
  if (price === undefined)
    throw new VenueError("unavailable", "no configured exchange returned the price of ADA in USDT");
  return { price, exchanges: mids.map(({ id }) => id) };
}

/** Initial quote balance of a paper trading account. */
const FIRST_QUOTE = decimal("10000");

interface PaperParts extends Pick<Deps, "exchanges" | "venue"> {
  readonly books: DryBooks;
  /** Returns the host of an exchange's requests. */
  readonly hostOf: (exchange: string) => string;
}

/** Creates paper trading accounts next to the exchanges' own; they use only public data of the exchange. */
export function connectDryRuns({
  books,
  exchanges,
  venue,
  hostOf,
}: PaperParts): DryRuns & Pick<Deps, "venueOf"> {
  const dry = (exchange: string): Venue => {
    const account: AccountRef = { exchange, kind: "dry", host: hostOf(exchange) };
    return dryVenue({ account, books, data: publicOnly(venue(exchange)) });
  };
  return {
    venue: dry,

    venueOf({ exchange, host }) {
      const isConfigured = exchanges.some(({ id }) => id === exchange);
      return isConfigured && hostOf(exchange) === host ? dry(exchange) : undefined;
    },

    async balances(exchange, { given, quote }) {
      const holdings = given
        ? Object.entries(given).map(([asset, total]) => ({ asset, total, used: ZERO }))
        : await books.holdings(dryKey({ exchange }));
      const all = holdings.length > 0 ? holdings : [{ asset: quote, total: FIRST_QUOTE, used: ZERO }];
      return all.map(({ asset, total, used }): Balance => ({ asset, free: total - used, used }));
    },

    async fund(exchange, { given, quote }) {
      const key = dryKey({ exchange });
      if (!given) return books.open(key, { asset: quote, total: FIRST_QUOTE });
      if (!(await books.fund(key, given))) throw inUse(exchange);
    },
  };
}

const inUse = (exchange: string): AppError =>
  new AppError(
    "Conflict",
    `the dry run account on ${exchange} has orders: stop its grids before you set new balances`,
  );

/**
 * Returns public data only. A market's fees are the public ones, because the account's own would need a private
 * request.
 */
const publicOnly = (data: Venue): MarketData => ({ ...data, market: data.listed ?? data.market });

/** Fails a read after the time limit with the name of the source, and drops a later result. */
export const timeLimit =
  (limit: Millis): Deps["inTime"] =>
  async (who, read) =>
    withinTime(
      read(),
      limit,
      () => new VenueError("unavailable", `${who} did not respond within ${limit} ms`),
    );
