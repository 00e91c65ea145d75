import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { trimmed } from "../../src/adapters/ccxt/client/catalog.ts";
import { libsqlAdapterStore } from "../../src/adapters/libsql/adapter-store.ts";
import { createStore } from "../../src/adapters/libsql/store.ts";
import { NO_STORED_KEYS } from "../../src/adapters/stored-keys.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { type LiveOptions, liveVenues, type Runtime } from "../../src/compose/live.ts";
import { keyHash } from "../../src/kernel/digest.ts";
import type { Millis } from "../../src/kernel/time.ts";
import { accountKey } from "../../src/model/account.ts";
import type { Tier, VenueName } from "../../src/model/market.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Permit } from "../../src/ports/venue.ts";
import type { Local, Log } from "../../src/ports/within-time.ts";
import type { RemoteDatabase } from "../../src/storage/client/remote-client.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { startVenue } from "../venues/index.ts";
import { appOver } from "./app.ts";
import { canary, canarySecret } from "./canary.ts";
import { connectionTo } from "./connection.ts";
import { heardLog, heardVenue } from "./heard.ts";
import { migrations } from "./migrations.ts";

export interface Requested {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server on loopback that answers what it is told to, and remembers what it was asked. */
export async function answering(reply: (request: Requested) => Reply | Promise<Reply>) {
  const requests: Requested[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const one = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(parts).toString("utf8"),
    };
    requests.push(one);
    const { status = 200, body, headers = {} } = await reply(one);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

export const KEYS = {
  key: canary("key"),
  secret: canarySecret("an exchange"),
  passphrase: canary("passphrase"),
};

interface Live {
  readonly urls: Readonly<Record<string, string>>;
  readonly options?: LiveOptions;
  readonly database?: string | RemoteDatabase;
  readonly log?: Log;
  readonly env?: Readonly<Record<string, string>>;
  /** A clock that moves when told, in place of the machine's and the database's. */
  readonly time?: { readonly local: Local; readonly now: () => Millis };
}

/** The real adapter over real libSQL, pointed at addresses on loopback, with the server's own keys for each. */
export async function liveBox({
  urls,
  options,
  database = "file::memory:",
  log = heardLog,
  env = {},
  time,
}: Live) {
  const client = typeof database === "string" ? connectionTo(database) : database;
  const local = time?.local ?? nodeLocal;
  const clock = time ? { clock: time.now } : {};
  const context = await openDatabase({ client, local, migrations, kind: "live", ...clock });
  const names = Object.keys(urls);
  const credentials = names.flatMap((name) => [
    [`${name.toUpperCase()}_API_KEY`, KEYS.key],
    [`${name.toUpperCase()}_SECRET`, KEYS.secret],
    [`${name.toUpperCase()}_PASSPHRASE`, KEYS.passphrase],
  ]);
  const config = parseConfig({
    EDGEMAKER_EXCHANGES: names.join(","),
    EDGEMAKER_VENUE_URLS: names.map((name) => `${name}=${urls[name]}`).join(","),
    ...Object.fromEntries(credentials),
    ...env,
  });
  const keeping = libsqlAdapterStore(context);
  const parts = { keeping, credentials: NO_STORED_KEYS, local, log };
  const venues = liveVenues(config, parts, { ...options, ...clock });
  const keep = (name: string, markets: readonly Record<string, unknown>[]) =>
    keeping.markets.keepMarkets(new URL(urls[name] ?? "").host, {
      listing: Object.fromEntries(markets.map((market) => [market.symbol, altnameOf(market)])),
      markets: markets.map(trimmed),
    });
  /** The account is known to be a classic one, so that nobody is asked. */
  const classic = async (name: string) =>
    keeping.markets.keepKind(accountKey(venues.accountOf(name)), {
      key: await keyHash(KEYS.key),
      kind: "classic",
    });
  const venue = (name: string) => heardVenue(venues.venue(name));
  return { ...venues, venue, config, context, keeping, keep, classic, store: createStore(context) };
}

type Emulated = Awaited<ReturnType<typeof startVenue>>;

interface LiveApp {
  readonly keys?: typeof KEYS;
  /** The accounts are unified ones, where the exchange has such. */
  readonly unified?: boolean;
  /** Of the account on kraken. */
  readonly tier?: Tier;
  readonly connect?: (deps: Deps) => Deps;
}

/** The whole service over emulated exchanges, wired as it is when it runs. */
export async function liveApp<N extends VenueName>(
  names: readonly N[],
  { keys: own, unified = false, tier, connect = (deps) => deps, ...over }: Partial<Runtime> & LiveApp = {},
) {
  const started = await Promise.all(
    names.map(
      async (name) =>
        [
          name,
          await startVenue(name, { unified, ...(tier ? { tier } : {}), ...(own ? { keys: own } : {}) }),
        ] as const,
    ),
  );
  onTestFinished(async () => {
    await Promise.all(started.map(([, venue]) => venue.close()));
  });
  const env = started.flatMap(([name, { keys }]) => [
    [`${name.toUpperCase()}_API_KEY`, keys.key],
    [`${name.toUpperCase()}_SECRET`, keys.secret],
    [`${name.toUpperCase()}_PASSPHRASE`, keys.passphrase],
  ]);
  const config = parseConfig({
    EDGEMAKER_EXCHANGES: names.join(","),
    EDGEMAKER_VENUE_URLS: started.map(([name, { url }]) => `${name}=${url}`).join(","),
    ...(tier ? { EDGEMAKER_TIERS: `kraken=${tier}` } : {}),
    ...Object.fromEntries(env),
  });
  const made = await createDeps(config, {
    client: connectionTo("file::memory:"),
    migrations,
    local: nodeLocal,
    log: heardLog,
    readCandles: () => Promise.reject(new Error("there are no candle files here")),
    ...over,
  });
  onTestFinished(() => made.close());
  const deps = { ...made, ...connect(made) };
  const venues = Object.fromEntries(started) as unknown as Record<N, Emulated>;
  return { deps, config, venues, ...(await appOver(deps)) };
}

const altnameOf = ({ id, info }: Record<string, unknown>): unknown =>
  (info as { altname?: unknown } | undefined)?.altname ?? id;

export const PERMIT: Permit = { mayLeave: () => true, sendBy: Number.MAX_SAFE_INTEGER };
