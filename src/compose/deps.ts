import { publicBudgets } from "../adapters/ccxt/client/public-budget.ts";
import type { Context } from "../adapters/libsql/client/context.ts";
import type { Migration } from "../adapters/libsql/client/migrate.ts";
import { openDatabase } from "../adapters/libsql/client/open.ts";
import type { Database } from "../adapters/libsql/client/safe-client.ts";
import { dryBooks } from "../adapters/libsql/sandbox/dry-books.ts";
import { sandboxBooks } from "../adapters/libsql/sandbox/sandbox-books.ts";
import { type SandboxSettings, setUpSandbox } from "../adapters/libsql/sandbox/sandbox-setup.ts";
import { type CredentialStore, credentialStore } from "../adapters/libsql/stores/credential-store.ts";
import { libsqlKeeping } from "../adapters/libsql/stores/keeping.ts";
import { metricsStore } from "../adapters/libsql/stores/metrics-store.ts";
import { notifyStore } from "../adapters/libsql/stores/notify-store.ts";
import { reportStore } from "../adapters/libsql/stores/report-store.ts";
import { createStore } from "../adapters/libsql/stores/store.ts";
import { sandboxAggregator } from "../adapters/sandbox/aggregator.ts";
import { createListings } from "../adapters/sandbox/listings.ts";
import { marketTime } from "../adapters/sandbox/market-clock.ts";
import { parseCandleFile } from "../adapters/sandbox/replay.ts";
import { SANDBOX_TIMING, simulatedVenue } from "../adapters/sandbox/venue.ts";
import { importKek } from "../adapters/vault/envelope.ts";
import { importSigner } from "../adapters/vault/signer.ts";
import { NO_STORED_KEYS, storedKeys } from "../adapters/vault/stored-keys.ts";
import { kindsOf } from "../engine/kinds.ts";
import { step } from "../engine/pass/step.ts";
import { digest } from "../kernel/digest.ts";
import { AppError, messageOf, SettingsError } from "../kernel/errors.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import { KINDS } from "../kinds.ts";
import { type AccountRef, accountKey } from "../model/account.ts";
import { VENUES } from "../model/venues.ts";
import { heartbeat } from "../notify/operations/heartbeat.ts";
import type { CandleReader } from "../ports/candles.ts";
import type { Deps } from "../ports/deps.ts";
import type { Aggregator } from "../ports/dex.ts";
import { forAnyone } from "../ports/for-anyone.ts";
import { type KillHere, withKillHere } from "../ports/kill-here.ts";
import type { Local, Log } from "../ports/local.ts";
import type { Post } from "../ports/outbound.ts";
import type { ExchangeInfo, Venue } from "../ports/venue.ts";
import type { Config, ConfiguredExchange } from "./config.ts";
import { connectDex, type DexParts, liveAggregators } from "./dex.ts";
import { type LiveOptions, type LiveVenues, liveVenues } from "./live.ts";
import { connectDryRuns } from "./paper.ts";
import { connectReference } from "./reference.ts";
import { type CredentialCheck, credentialCheck } from "./stored-credentials.ts";
import { timeLimit } from "./time-limit.ts";

/** What a runtime gives. */
export interface Runtime {
  readonly client: Database;
  /** Applied at the start; empty where that is done elsewhere. */
  readonly migrations: readonly Migration[];
  readonly local: Local;
  readonly log: Log;
  /** The text of a candle file. */
  readonly readCandles: (file: string) => Promise<string>;
  /** Candles that were downloaded or imported here. */
  readonly kept?: CandleReader;
  readonly live?: LiveOptions;
  /** The database's kind was seen before. */
  readonly isChecked?: boolean;
  /** A person works on the keys themselves: what is wrong with them ends nothing. */
  readonly putsKeysInOrder?: boolean;
  readonly requests?: (() => number) | undefined;
  /** How often it steps. */
  readonly interval?: Millis | undefined;
  /** How messages leave; nobody is told where it is absent. */
  readonly post?: Post;
  /** Why nothing may be placed now, as this machine tells it; undefined where it may. */
  readonly killed?: () => string | undefined;
}

export type SandboxOptions = Omit<SandboxSettings, "replays"> & {
  readonly replays?: readonly { readonly symbol: Pair; readonly file: string }[] | undefined;
};

interface Venues extends Pick<Deps, "venue" | "venueOf" | "marketTime"> {
  /** The simulated one, where there is one. */
  readonly aggregator?: Aggregator;
}

/** The one place where ports meet adapters. */
export async function createDeps(
  config: Config,
  runtime: Runtime,
  options: SandboxOptions = {},
): Promise<Deps & { readonly live?: Live; readonly channels: Channels; close(): void }> {
  const { client, migrations, local, log, requests, isChecked } = runtime;
  const kind = config.sandbox ? "sandbox" : "live";
  const context = await openDatabase({ client, local, migrations, kind, isChecked });
  const notify = notifyStore(context, await Promise.all(config.keks.map(importKek)));
  const budgets = runtime.live?.budgets ?? publicBudgets(local.monotonic);
  const live = config.sandbox
    ? undefined
    : await connectLive(config, context, { ...runtime, live: { ...runtime.live, budgets } });
  const { aggregator, ...venues }: Venues = live
    ? live.venues
    : await sandboxVenues(config, context, runtime, options);
  // Two ids of the same keys stay so until somebody puts them in order, so that one look is enough.
  if (live && !isChecked && !runtime.putsKeysInOrder) {
    await live.check.refuseSame().catch((error: unknown) => {
      context.client.close();
      throw error;
    });
  }
  const exchanges = config.exchanges.map((one) => infoOf(one, live));
  const killHere: KillHere = {
    reason: () => (config.kill ? "EDGEMAKER_KILL is set" : runtime.killed?.()),
  };
  const kinds = kindsOf(KINDS);
  const store = withKillHere(createStore(context), killHere);
  const inTime = timeLimit(config.readTimeoutMillis);
  const chain =
    aggregator && !config.venueUrls.has("iris")
      ? { own: aggregator, forAnyone: aggregator }
      : liveAggregators(config, { budgets, monotonic: local.monotonic });
  const hostOf = (exchange: string) => live?.venues.accountOf(exchange).host ?? "";
  const dry = connectDryRuns({ books: dryBooks(context), exchanges, venue: venues.venue, hostOf });
  const dexOf = (aggregator: Aggregator, venue: DexParts["venue"]) =>
    connectDex({ aggregator, exchanges, venue, inTime });
  const own = { dex: dexOf(chain.own, venues.venue), venue: venues.venue };
  const reference = connectReference({ exchanges, inTime, ...own });
  return {
    venue: venues.venue,
    dry,
    venueOf: (account) => (account.kind === "dry" ? dry.venueOf(account) : venues.venueOf(account)),
    marketTime: venues.marketTime,
    ...(live ? { live, keyTroubles: () => keyTroubles(live), warnings: () => keyWarnings(live) } : {}),
    resolve: (venue) =>
      step(
        { store, kinds, local, log, limits: config.limits, requests, reference, interval: runtime.interval },
        venue,
      ),
    exchanges,
    inTime,
    dex: dexOf(chain.forAnyone, (id) => forAnyone(venues.venue(id))),
    reference,
    channels: notify,
    metrics: metricsStore(context),
    reports: reportStore(context),
    ...(runtime.post && config.heartbeat
      ? { heartbeat: heartbeat(config.heartbeat, { post: runtime.post, local, log }) }
      : {}),
    ...(runtime.kept ? { kept: runtime.kept } : {}),
    ...(runtime.post ? { notify: { store: notify, post: runtime.post } } : {}),
    signers: await Promise.all(config.keks.map(importSigner)),
    store,
    kinds,
    killHere,
    limits: config.limits,
    requests,
    interval: runtime.interval,
    local,
    log,
    close: () => context.client.close(),
  };
}

const infoOf = ({ id, venue }: ConfiguredExchange, live: Live | undefined): ExchangeInfo => ({
  id,
  venue,
  kind: live ? "live" : "sandbox",
  passphrase: VENUES[venue].passphrase,
  quotes: VENUES[venue].quotes,
  configured: live?.venues.isConfigured(id) ?? true,
});

/** Where people are told, as commands on this machine set it. */
export type Channels = ReturnType<typeof notifyStore>;

/** What only commands on this machine use: how keys are stored, and whether they open anything. */
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

async function connectLive(config: Config, context: Context, { local, log, live }: Runtime): Promise<Live> {
  const credentials = credentialStore(context, await Promise.all(config.keks.map(importKek)));
  const stored = config.keks.length > 0 ? await storedKeys(credentials, local) : NO_STORED_KEYS;
  const parts = { keeping: libsqlKeeping(context), credentials: stored, local, log };
  const venues = liveVenues(config, parts, live);
  const accountOf = (exchange: string) => accountKey(venues.accountOf(exchange));
  const { exchanges } = config;
  return { credentials, venues, check: credentialCheck({ exchanges, accountOf, credentials }) };
}

async function sandboxVenues(
  config: Config,
  context: Context,
  runtime: Runtime,
  options: SandboxOptions,
): Promise<Venues> {
  const asked =
    options.replays && (await Promise.all(options.replays.map((replay) => withText(replay, runtime))));
  const first = asked?.map(({ candles }) => candles.times[0] as number).sort((a, b) => a - b)[0];
  const settings = {
    ...options,
    origin: options.origin ?? first,
    replays: asked?.map(({ symbol, file, digest: hash }) => ({ symbol, file, digest: hash })),
  };
  const row = await setUpSandbox(context, settings, config.exchanges);
  const replays = asked ?? (await Promise.all(row.replays.map((replay) => withText(replay, runtime))));
  const listings = createListings({
    ...row,
    replays: new Map(replays.map(({ symbol, candles }) => [symbol, candles])),
  });
  const books = sandboxBooks(context);
  const venues = new Map<string, Venue>(
    config.exchanges.map(({ id, venue }) => {
      const account: AccountRef = { exchange: id, kind: "sandbox", host: "" };
      return [
        id,
        simulatedVenue({
          account,
          venue,
          books,
          listings,
          clock: row,
          rules: { fill: "touch", parts: true },
          timing: SANDBOX_TIMING,
        }),
      ];
    }),
  );
  const [market] = venues.values();
  if (!market) throw new SettingsError("EDGEMAKER_EXCHANGES names no exchange");
  return {
    venue: (exchange) => found(venues.get(exchange), exchange),
    venueOf: ({ kind, exchange }) => (kind === "sandbox" ? venues.get(exchange) : undefined),
    marketTime: (_account, now) => marketTime(row, now),
    aggregator: sandboxAggregator({ ...row, market }),
  };
}

async function withText({ symbol, file }: { symbol: Pair; file: string }, { readCandles }: Runtime) {
  try {
    const text = await readCandles(file);
    return { symbol, file, digest: await digest(text), candles: parseCandleFile(text) };
  } catch (error) {
    throw new SettingsError(`the candle file ${file} cannot be replayed: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function found<T>(one: T | undefined, exchange: string): T {
  if (one === undefined) throw new AppError("Invalid exchange", `${exchange} is not configured`);
  return one;
}
