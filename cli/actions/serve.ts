import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { serve as listen } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { createApp } from "../../src/app.ts";
import type { Config } from "../../src/compose/config.ts";
import { createDeps, type ServiceDeps } from "../../src/compose/deps.ts";
import { digest } from "../../src/kernel/digest.ts";
import { newToken } from "../../src/model/token.ts";
import { createOperations } from "../../src/operations.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { countWrongTokens, createLimiter } from "../../src/transport/access.ts";
import { createHeavyLane } from "../../src/transport/body.ts";
import { madeDocuments } from "../../src/transport/openapi.ts";
import { createSignInLink } from "../../src/transport/page.ts";
import { configFile, dataDirectory } from "../host/directories.ts";
import { createLog, nodeRuntime, tighten } from "../host/node-runtime.ts";
import { describedStrategies, type LoadedStrategies } from "../host/own-strategies.ts";
import { calculationThread } from "../host/process/calculations.ts";
import { boundConnections } from "../host/process/connections.ts";
import { nodeLocal } from "../host/process/node-local.ts";
import {
  describeServer,
  forgetKeptToken,
  proofOf,
  runningServers,
  startHeartbeat,
  writeServerFile,
} from "../host/running-servers.ts";
import {
  builtAsset,
  builtPageFiles,
  compressedText,
  listLocalToken,
  startDelivery,
  startSampling,
  startStreams,
  startTracing,
} from "../host/server-parts.ts";
import { checkKeyRights, portFlag, readSettings, tickInterval } from "../host/settings.ts";
import { startTimer } from "../host/timer.ts";
import { installedBuild, version } from "../host/version.ts";
import type { Values } from "../terminal/arguments.ts";
import { prepareMigration } from "./database.ts";
import { pageLink } from "./page.ts";
import { MAX_STOP_READ_MS } from "./resting-orders.ts";

export { signsOfLife } from "../host/signs-of-life.ts";
export { restingOrders } from "./resting-orders.ts";

export interface Serving {
  readonly deps: ServiceDeps;
  /** URL for a program on this machine. */
  readonly url: string;
  /** Other bound addresses, for people; undefined if there are none. */
  readonly boundText: string | undefined;
  readonly token: string;
  /** Returns a link to the page that signs in one browser, once. */
  readonly newLink: () => Promise<string>;
  /** Describes another running server of this database. */
  readonly other: () => Promise<string | undefined>;
  /** Resolves when the server has stopped after a request. */
  readonly stopped: Promise<void>;
  stop(): void;
}

/** Starts the server and its timer. */
export async function startServer(values: Values, { around = 0, hasOwn = true } = {}): Promise<Serving> {
  const { config, sandbox, databaseUrl } = readSettings(values, process.env);
  const [port, interval] = [portFlag(values), tickInterval(values)];
  // In brackets as in a URL, or without them.
  const hostname = String(values.host ?? "127.0.0.1").replace(/^\[(.*)\]$/, "$1");
  const folder = dataDirectory(process.env);
  const log = createLog(config.logLevel);
  const file = configFile(process.env);
  if (tighten(file)) log("warn", "other users could read the settings file; now only you can", { file });
  const tracing = await startTracing(process.env, version());
  const own: LoadedStrategies = hasOwn
    ? await describedStrategies(config.strategies)
    : { definitions: [], failures: [] };
  const copy = await prepareMigration({ config, databaseUrl, sandbox });
  if (copy) log("info", "the database is migrated; its copy can be restored", { copy });
  const runtime = {
    ...nodeRuntime(databaseUrl, config, log),
    leavesUnknown: false,
    mayMigrate: true,
    interval,
    tracer: tracing?.tracer,
    heavy: createHeavyLane(),
    calculationThread: calculationThread(),
  };
  const created = await createDeps(config, runtime, sandbox);
  const follower = startStreams(created, interval, config.stream);
  const deps = { ...created, streamReport: follower.report };
  const token = newToken(nodeLocal);
  forgetKeptToken(folder);
  const instance = nodeLocal.randomText(16);
  const app = servedApp(deps, own, { config, token, instance });
  const { server, address } = await listening(app.fetch, { port, hostname, around });
  const begin = async (): Promise<Serving> => {
    const url = `http://${hostAndPort({ ...address, address: loopback(address) })}`;
    const endToken = await listLocalToken(deps.store, { token, url });
    const heartbeat = await startHeartbeat(deps, { instance, url });
    const forget = writeServerFile(folder, databaseUrl, { url, token, instance, pid: process.pid });
    for (const { message } of own.failures) log("error", message);
    const timer = startTimer(deps, interval, { follower });
    for (const trouble of (await deps.keys?.troubles()) ?? []) log("error", trouble);
    const delivery = startDelivery(
      { ...deps, awakeFor: timer.awakeFor },
      Math.min(interval, DELIVERY_INTERVAL),
    );
    const sampling = startSampling(deps, Math.min(interval, DELIVERY_INTERVAL));
    const asking = checkKeyRights(deps);

    const { stopped, stop } = stopOnce(async () => {
      asking.stop();
      forget();
      await timer.stop();
      await follower.stop();
      await Promise.all([delivery.stop(), sampling.stop()]);
      await serverClosed(server);
      // A missing database must not prevent a stop; the next start ends the token.
      await Promise.all([endToken().catch(() => undefined), heartbeat.stop()]);
      deps.close();
      await tracing?.stop();
    });
    const boundText = boundTextOf(address);
    if (boundText && !config.token && !(await deps.store.hasTokens())) process.stderr.write(NO_TOKEN);
    const newLink = async () => {
      const maker = { actor: "local", key: await digest(token) };
      return pageLink(url, await createSignInLink(deps, maker, null));
    };
    const other = async () => {
      const servers = await Promise.race([runningServers(deps), sleep(MAX_STOP_READ_MS, [], { ref: false })]);
      const running = servers.find((server) => server.instance !== instance);
      return running && describeServer(running);
    };
    return { deps, url, boundText, token, newLink, other, stopped, stop };
  };
  // An open port would keep the failed process alive, without passes.
  return begin().catch((error: unknown) => serverClosed(server).then(() => Promise.reject(error)));
}

const NO_TOKEN = "Clients on other machines need an API token; create one with `edgemaker token create`.\n";

interface Served {
  readonly config: Config;
  readonly token: string;
  readonly instance: string;
}

function servedApp(deps: Deps, { definitions }: LoadedStrategies, { config, token, instance }: Served) {
  const operations = createOperations(
    config.exchanges.map(({ id }) => id),
    definitions,
  );
  return createApp({
    deps,
    operations,
    documents: madeDocuments(operations, version()),
    access: {
      adminTokens: config.token ? [config.token] : [],
      localToken: token,
      allowedHosts: config.allowedHosts,
      origins: config.origins,
      checkHost: true,
      wrongTokens: countWrongTokens(nodeLocal.monotonic),
    },
    limiter: createLimiter(config.rateLimits, nodeLocal.monotonic),
    addressOf: (c) => getConnInfo(c).remote.address,
    mcp: config.mcp,
    version: version(),
    build: installedBuild(),
    instance,
    prove: (challenge) => proofOf(token, challenge),
    asset: builtAsset,
    compress: compressedText,
    pageFiles: builtPageFiles,
  });
}

/** Returns a function that stops once, however often it is called. */
function stopOnce(end: () => Promise<void>): { readonly stopped: Promise<void>; readonly stop: () => void } {
  let stop: () => void = () => undefined;
  const request = new Promise<void>((resolve) => {
    stop = resolve;
  });
  return { stopped: request.then(end), stop };
}

const serverClosed = (server: Listening["server"]): Promise<unknown> =>
  new Promise((resolve) => {
    server.close(resolve);
    if ("closeAllConnections" in server) server.closeAllConnections();
  });

/** Minimum interval of deliveries and samples. */
const DELIVERY_INTERVAL = 5000;

const loopback = ({ address }: AddressInfo): string =>
  address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;

const hostAndPort = ({ address, port }: AddressInfo): string =>
  `${address.includes(":") ? `[${address}]` : address}:${port}`;

/** Describes that other machines can also reach the server. */
const boundTextOf = (bound: AddressInfo): string | undefined =>
  loopback(bound) === bound.address
    ? undefined
    : `${hostAndPort(bound)} (all interfaces). Without --host, only this machine can connect.`;

interface Listening {
  readonly server: ReturnType<typeof listen>;
  readonly address: AddressInfo;
}

interface Binding {
  readonly port: number;
  readonly hostname: string;
  /** Number of following ports to try if one is in use. */
  readonly around: number;
}

function listening(
  fetch: Parameters<typeof listen>[0]["fetch"],
  { port, hostname, around }: Binding,
): Promise<Listening> {
  return new Promise<Listening>((resolve, reject) => {
    const server = listen({ fetch, port, hostname }, (address) => resolve({ server, address }));
    // Longer than clients and proxies keep a connection open, because a connection that we close could just be carrying
    // a request.
    if ("keepAliveTimeout" in server) {
      server.keepAliveTimeout = 75_000;
      boundConnections(server);
    }
    server.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" && around > 0 && port > 0) {
        resolve(listening(fetch, { port: port + 1, hostname, around: around - 1 }));
        return;
      }
      reject(
        error.code === "EADDRINUSE"
          ? new Error(`port ${port} is already in use; choose another one with --port`)
          : error,
      );
    });
  });
}
