import { type PublicBudgets, publicBudgets } from "../adapters/ccxt/client/public-budget.ts";
import { libsqlKeeping } from "../adapters/libsql/keeping/keeping.ts";
import { dryBooks } from "../adapters/libsql/sandbox/dry-books.ts";
import { type CredentialStore, credentialStore } from "../adapters/libsql/stores/credential-store.ts";
import { createStore } from "../adapters/libsql/stores/store.ts";
import { tracedFetch } from "../adapters/traced-fetch.ts";
import { importSigner } from "../adapters/vault/signer.ts";
import { NO_STORED_KEYS, storedKeys } from "../adapters/vault/stored-keys.ts";
import { kindsOf } from "../engine/kinds.ts";
import { step } from "../engine/pass/step.ts";
import { SettingsError } from "../kernel/errors.ts";
import type { Millis } from "../kernel/time.ts";
import { kindsWith } from "../kinds.ts";
import { createAgreementStore } from "../liquidity/store/agreements.ts";
import { createProofKeys, createProofStore } from "../liquidity/store/proofs.ts";
import type { LiquidityDeps } from "../liquidity/store/store.ts";
import { createLiquidityStore } from "../liquidity/store/store.ts";
import { type AccountRef, accountKey } from "../model/account.ts";
import { VENUES } from "../model/venues.ts";
import type { NotifyDeps } from "../notify/operations/deliver.ts";
import { heartbeat } from "../notify/operations/heartbeat.ts";
import { createNotifyStore } from "../notify/store/store.ts";
import type { Deps } from "../ports/deps.ts";
import type { Aggregator } from "../ports/dex.ts";
import { forAnyone } from "../ports/for-anyone.ts";
import { type KillHere, withKillHere } from "../ports/kill-here.ts";
import type { ExchangeInfo } from "../ports/venue.ts";
import type { ReportDeps } from "../report/store.ts";
import { createReportStore } from "../report/store.ts";
import type { Context } from "../storage/client/context.ts";
import { importKek } from "../storage/client/envelope.ts";
import { openDatabase } from "../storage/client/open.ts";
import type { MetricsDeps } from "../storage/metrics.ts";
import { createMetricsStore } from "../storage/metrics.ts";
import type { Config, ConfiguredExchange } from "./config.ts";
import { connectDex, type DexParts, liveAggregators } from "./dex.ts";
import { type LiveVenues, liveVenues } from "./live.ts";
import { connectDryRuns } from "./paper.ts";
import { connectReference } from "./reference.ts";
import type { Runtime } from "./runtime.ts";
import { type SandboxOptions, sandboxVenues, type Venues } from "./sandbox.ts";
import { type CredentialCheck, credentialCheck } from "./stored-credentials.ts";
import { timeLimit } from "./time-limit.ts";

/** All dependencies: those that operations share, and those of each feature's stores. */
export type ServiceDeps = NotifyDeps & ReportDeps & LiquidityDeps & MetricsDeps;

/** Connects ports to adapters; the only place that does. */
export async function createDeps(
  config: Config,
  runtime: Runtime,
  options: SandboxOptions = {},
): Promise<ServiceDeps & { readonly live?: Live; readonly channels: Channels; close(): void }> {
  const { client, migrations, schema, local, isChecked, tracer, heavy, calculationThread } = runtime;
  const kind = config.sandbox ? "sandbox" : "live";
  const context = await openDatabase({ client, local, migrations, schema, kind, isChecked, tracer });
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
  const stepping = { ...engineDeps(config, runtime, { context, killHere }), reference: prices.reference };
  return {
    ...stepping,
    ...prices,
    ...venueDeps(venues, { context, exchanges, live }),
    ...(live ? keyDeps(config, live) : {}),
    ...tellingDeps(config, runtime, { context, channels }),
    resolve: (venue) => step(stepping, venue),
    exchanges,
    ...(runtime.kept ? { kept: runtime.kept } : {}),
    streams: live && runtime.streams?.(live.venues.accessOf),
    signers: await Promise.all(config.keks.map(importSigner)),
    ...{ killHere, tracer, heavy, calculationThread },
    close: () => context.client.close(),
  };
}

/** Returns what a pass needs besides its venue and the reference prices. */
const engineDeps = (
  { limits }: Config,
  { definitions = [], local, log, requests, interval }: Runtime,
  { context, killHere }: { context: Context; killHere: KillHere },
) => ({
  store: withKillHere(createStore(context), killHere),
  kinds: kindsOf(kindsWith(definitions)),
  ...{ local, log, limits, requests, interval },
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

const keyDeps = (config: Config, live: Live) => ({
  live,
  keys: serverKeys(config, live),
  keyTroubles: () => keyTroubles(live),
  warnings: () => keyWarnings(live),
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
  configured: live?.venues.isConfigured(id) ?? true,
});

/** Alert channels as commands on this machine configure them. */
export type Channels = ReturnType<typeof createNotifyStore>;

/** What only commands on this machine use: the storage of keys, and a check of their access. */
export interface Live {
  readonly venues: LiveVenues;
  readonly credentials: CredentialStore;
  readonly check: CredentialCheck;
}

const keyTroubles = async ({ check }: Live): Promise<readonly string[]> => [
  ...(await check.troubles()).values(),
];

const keyWarnings = async (live: Live): Promise<readonly string[]> => [
  ...(await keyTroubles(live)),
  ...(await live.venues.rights.warnings()),
];

const serverKeys = (
  { exchanges }: Config,
  { venues, credentials, check }: Live,
): NonNullable<Deps["keys"]> => ({
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
});

async function connectLive(config: Config, context: Context, { local, log, live }: Runtime): Promise<Live> {
  const credentials = credentialStore(context, await Promise.all(config.keks.map(importKek)));
  const stored = config.keks.length > 0 ? await storedKeys(credentials, local) : NO_STORED_KEYS;
  const parts = { keeping: libsqlKeeping(context), credentials: stored, local, log };
  const venues = liveVenues(config, parts, live);
  const accountOf = (exchange: string) => accountKey(venues.accountOf(exchange));
  const { exchanges } = config;
  return { credentials, venues, check: credentialCheck({ exchanges, accountOf, credentials }) };
}
