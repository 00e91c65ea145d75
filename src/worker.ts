/** Entry point on Workers: serves the app, and runs passes on the cron's schedule, through a queue if one is bound. */

import type { ExecutionContext, MessageBatch, Queue } from "@cloudflare/workers-types";
import { build, scripts } from "edgemaker-strategies";
import { LinearRouter } from "hono/router/linear-router";
import { cachedMarkets } from "./adapters/ccxt/client/market-cache.ts";
import { publicBudgets } from "./adapters/ccxt/client/shared-reads.ts";
import { fetchPost } from "./adapters/outbound.ts";
import { createApp } from "./app.ts";
import { checkAllAlarms } from "./compose/alarm-checks.ts";
import { type Config, parseConfig } from "./compose/config.ts";
import { createDeps } from "./compose/deps.ts";
import { textSettingsOf } from "./compose/setting-values.ts";
import type { Pass } from "./engine/pass/pass.ts";
import { accountsDue, runAccountPass, runRound } from "./engine/pass/round.ts";
import { AppError, messageOf, SettingsError } from "./kernel/errors.ts";
import { createRandomText } from "./kernel/random.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "./kernel/time.ts";
import { sampleFirst, sampleLiquidity } from "./liquidity/operations/sample.ts";
import type { AccountKey } from "./model/account.ts";
import { deliver } from "./notify/operations/deliver.ts";
import { otherServersRunPasses, passesSucceeded } from "./notify/operations/heartbeat.ts";
import { createOperations } from "./operations.ts";
import { loadScript } from "./own/script.ts";
import type { Deps, ProcessDeps } from "./ports/deps.ts";
import type { StoreDeps } from "./ports/kind.ts";
import type { Local, Log } from "./ports/within-time.ts";
import { NEWEST_MIGRATION } from "./storage/client/migrate.ts";
import type { MetricsDeps } from "./storage/metrics.ts";
import { type Access, countWrongTokens, createLimiter } from "./transport/access.ts";
import { createCallerLane } from "./transport/body.ts";
import { type PlatformFiles, servedDocuments, servedPageFiles } from "./transport/documents.ts";
import { createEdgeDoor } from "./transport/edge-door.ts";
import { requestIdOf } from "./transport/entrance.ts";
import { REQUEST_ID, respondError, urgentRoutes } from "./transport/http.ts";
import { MCP_ROUTE } from "./transport/mcp/mount.ts";

/** One pass over one account; a repeated message for the same account and time has no effect. */
interface PassMessage {
  readonly account: AccountKey;
  /** Scheduled time of the pass, in milliseconds. */
  readonly scheduled: number;
}

interface Bindings {
  readonly TURNS?: Queue<PassMessage>;
  readonly ASSETS?: PlatformFiles;
  readonly [setting: string]: unknown;
}

const definitions = scripts.map(loadScript);

const local: Local = {
  name: "edge",
  monotonic: () => performance.now(),
  randomText: createRandomText((bytes) => crypto.getRandomValues(bytes)),
  sleep: (millis) => new Promise((resolve) => setTimeout(resolve, millis)),
};

const logFrom = (least: Config["logLevel"]): Log => {
  const levels: readonly Config["logLevel"][] = ["debug", "info", "warn", "error"];
  return (level, message, fields) => {
    if (levels.indexOf(level) >= levels.indexOf(least))
      console[level](JSON.stringify({ level, message, ...fields }));
  };
};

/**
 * Databases whose kind this isolate has checked; it never changes. Besides this, only markets, rate limits, fee
 * assets and rates outlive an invocation.
 */
const checkedDatabases = new Set<string>();
const rememberMarkets = cachedMarkets(local.monotonic);
const budgets = publicBudgets(local.monotonic);
const buyFees = new Map();
const [wrongTokens, heavy] = [countWrongTokens(local.monotonic), createCallerLane(local)];

const NO_DATABASE =
  "EDGEMAKER_DATABASE_URL is not set: name a libSQL server, deployed by `npx wrangler secret put EDGEMAKER_DATABASE_URL`, on this machine in .dev.vars; docs/deploy.md";

/** Reads settings once, because they never change in an isolate. The operations cache the schemas that requests use. */
function settled(environment: Bindings) {
  const config = parseConfig(textSettingsOf(environment));
  for (const notice of config.notices) logFrom(config.logLevel)("warn", notice);
  const ids = config.exchanges.map(({ id }) => id);
  const documents = servedDocuments(environment.ASSETS, ids);
  const operations = createOperations(ids, definitions);
  const [limiter, access] = [createLimiter(config.rateLimits, local.monotonic), accessOf(config)];
  const door = createEdgeDoor({
    access,
    limiter,
    local,
    exempt: [...urgentRoutes(operations), MCP_ROUTE],
    build,
  });
  return { config, documents, operations, door, access };
}
const settledOf = new WeakMap<Bindings, ReturnType<typeof settled>>();

function knownOf(environment: Bindings) {
  const known = settledOf.get(environment) ?? settled(environment);
  settledOf.set(environment, known);
  return known;
}

const accessOf = ({ token, allowedHosts, origins }: Config): Access => ({
  adminTokens: token ? [token] : [],
  allowedHosts,
  origins,
  wrongTokens,
  checkHost: allowedHosts.length > 0,
});

type Outlast = NonNullable<Local["outlast"]>;

/** Creates the service of one invocation; every outgoing request is counted. */
async function openService(environment: Bindings, outlast?: Outlast) {
  const known = knownOf(environment);
  const { config } = known;
  const { databaseUrl: url, databaseAuthToken: authToken } = config;
  if (!url) throw new SettingsError(NO_DATABASE);
  let made = 0;
  const counted: typeof fetch = (input, init) => {
    made++;
    return fetch(input, init);
  };
  const database = `${url} ${config.sandbox}`;
  const deps = await createDeps(config, {
    client: { url, authToken, fetch: counted },
    isChecked: checkedDatabases.has(database),
    live: { fetch: counted, markets: rememberMarkets, budgets, buyFees },
    local: outlast ? { ...local, outlast } : local,
    heavy,
    log: logFrom(config.logLevel),
    migrations: [],
    newest: NEWEST_MIGRATION,
    definitions,
    readCandles: () => Promise.reject(new SettingsError("candle files can only be replayed on Node")),
    requests: () => config.subrequests - made,
    post: fetchPost(counted, config.outboundHosts),
    interval: (60 * SECOND) / config.passesPerMinute,
  });
  checkedDatabases.add(database);
  return { ...known, deps, made: () => made };
}

const serveRequest = (request: Request, environment: Bindings, outlast: Outlast): Promise<Response> =>
  knownOf(environment).door(request, async ({ address, limiter }) => {
    const { config, operations, documents, access, deps } = await openService(environment, outlast);
    const app = createApp({
      deps,
      operations,
      documents,
      access,
      limiter,
      addressOf: () => address,
      mcp: config.mcp,
      // This platform does not report when a client disconnects, and each read of the database is a request.
      streaming: { every: 2500, life: 25 * SECOND },
      // Each request creates a new app, so an index of all routes would serve one request.
      router: new LinearRouter(),
      pageFiles: () => servedPageFiles(environment.ASSETS),
      version: "edge",
      build,
      instance: "edge",
    });
    return app.fetch(request);
  });

/** Queues a message for each account and pass of this minute. The queue delays messages until their time. */
async function enqueue(queue: Queue<PassMessage>, deps: Deps, times: readonly number[]): Promise<void> {
  const due = await accountsDue(deps);
  const [first = 0] = times;
  const messages = times.flatMap((scheduled) => {
    const delaySeconds = Math.round((scheduled - first) / SECOND);
    return due.map((account) => ({ body: { account, scheduled }, delaySeconds }));
  });
  for (let at = 0; at < messages.length; at += MAX_QUEUE_MESSAGES)
    await queue.sendBatch(messages.slice(at, at + MAX_QUEUE_MESSAGES));
  await beatForQueue(deps);
}

/** Sends the heartbeat; the queue's consumers run the passes, so their results are read from the database. */
async function beatForQueue({ heartbeat, metrics, store, interval = MINUTE }: MetricsDeps): Promise<void> {
  if (!heartbeat || !metrics) return;
  const [{ accounts, now }, due] = await Promise.all([metrics.readings(), store.due()]);
  const of = due.map(({ account }) => account);
  await heartbeat.beat(otherServersRunPasses(of, accounts, { now, interval }));
}

/** Time until another pass after one with a fill, because its price often fills more, or with a strategy that leaves. */
const FOLLOW_UP: Millis = 15 * SECOND;

/** Queues another pass of the same minute, unless a scheduled one comes sooner. Without it, the next one is in time. */
async function sendFollowUp(
  queue: Queue<PassMessage> | undefined,
  { log, interval = MINUTE }: ProcessDeps & StoreDeps,
  { account, scheduled }: PassMessage,
): Promise<void> {
  const next = scheduled + FOLLOW_UP;
  if (!queue || interval <= FOLLOW_UP || next % MINUTE < FOLLOW_UP) return;
  await queue
    .send({ account, scheduled: next }, { delaySeconds: FOLLOW_UP / SECOND })
    .catch((error: unknown) =>
      log("warn", "a pass could not be queued", { account, reason: messageOf(error) }),
    );
}

/** Maximum number of messages in one call to a queue. */
const MAX_QUEUE_MESSAGES = 100;

function logPass(
  { log }: ProcessDeps,
  { message: reason, ...pass }: Pass,
  scheduled: number,
  requests: number,
) {
  log("info", "a pass", { ...pass, ...(reason ? { reason } : {}), scheduled, requests });
}

async function runRoundsInline(deps: Deps, times: readonly number[], made: () => number): Promise<void> {
  let isGood = true;
  for (const [index, scheduled] of times.entries()) {
    if (index > 0) await local.sleep(scheduled - (times[index - 1] as number));
    const passes = await runRound(deps, { scheduled });
    for (const pass of passes) logPass(deps, pass, scheduled, made());
    isGood &&= passesSucceeded(passes);
  }
  await deps.heartbeat?.beat(isGood);
}

/**
 * Checks the permissions of the keys once a day, before the passes; an isolate checks once an hour whether that has
 * happened.
 */
async function askRightsDaily({ live, requests }: LiveDeps, { databaseUrl = "" }: Config): Promise<void> {
  const now = local.monotonic();
  if (!live || now - (recentRights.get(databaseUrl) ?? Number.NEGATIVE_INFINITY) < HOUR) return;
  const mayGoOn = () => (requests?.() ?? 0) > LEFT_TO_PASSES && local.monotonic() - now < MAX_ROUND_WAIT_MS;
  const isDone = await live.venues.rights.ask(DAY, mayGoOn);
  if (isDone) recentRights.set(databaseUrl, now);
}

type LiveDeps = Awaited<ReturnType<typeof createDeps>>;
const LEFT_TO_PASSES = 35;
/** Time after which no further exchange is queried, because passes are waiting. */
const MAX_ROUND_WAIT_MS: Millis = 5 * SECOND;
const recentRights = new Map<string, Millis>();

/** Logs a failure, and continues with what follows. */
const tryWith = (log: Log) => (failed: string, run: () => Promise<void>) =>
  run().catch((error: unknown) => log("error", failed, { reason: messageOf(error) }));

export default {
  async fetch(request: Request, environment: Bindings, context: ExecutionContext): Promise<Response> {
    try {
      return await serveRequest(request, environment, (work) => context.waitUntil(work));
    } catch (error) {
      const requestId = requestIdOf(request.headers.get(REQUEST_ID) ?? undefined, local);
      if (error instanceof AppError) return respondError(error, requestId);
      logFrom("error")("error", messageOf(error), { requestId });
      const label = new URL(request.url).pathname === "/ready" ? "Not ready" : "Internal error";
      const isPublic = error instanceof SettingsError && error.isPublic;
      const why = isPublic ? `: ${error.message}` : "; its log says why";
      const failure = new AppError(label, `the service cannot start${why}`);
      return respondError(failure, requestId);
    }
  },

  /** Throws nothing; the next invocation retries what fails. */
  async scheduled({ scheduledTime }: { scheduledTime: number }, environment: Bindings): Promise<void> {
    try {
      const { config, deps, made } = await openService(environment);
      const apart = (60 * SECOND) / config.passesPerMinute;
      const times = Array.from(
        { length: config.passesPerMinute },
        (_, index) => scheduledTime + index * apart,
      );
      const tried = tryWith(deps.log);
      await tried("the permissions of the exchange keys could not be checked", () =>
        askRightsDaily(deps, config),
      );
      await tried("no order book was sampled", () =>
        sampleFirst(deps, { requests: 20, within: MAX_ROUND_WAIT_MS }),
      );
      await tried("a scheduled round failed", () =>
        environment.TURNS ? enqueue(environment.TURNS, deps, times) : runRoundsInline(deps, times, made),
      );
      await tried("the health check failed", () => checkAllAlarms(deps));
      const { notify, requests, reports, log } = deps;
      if (notify)
        await tried("messages could not be sent", () => deliver({ notify, local, log, requests, reports }));
      await tried("the other order books were not sampled", () => sampleLiquidity(deps));
    } catch (error) {
      logFrom("error")("error", "a scheduled round failed", { reason: messageOf(error) });
    }
  },

  /** Retries a message only if nothing was done for it; the next minute continues a pass that died. */
  async queue({ messages }: MessageBatch<PassMessage>, environment: Bindings): Promise<void> {
    const { deps, made } = await openService(environment);
    for (const message of messages) {
      const { account, scheduled } = message.body;
      const pass = await runAccountPass(deps, account, { scheduled });
      if (pass.outcome === "failed") message.retry({ delaySeconds: 10 });
      else message.ack();
      logPass(deps, pass, scheduled, made());
      if (pass.reactions || pass.isLeaving) await sendFollowUp(environment.TURNS, deps, message.body);
    }
  },
};
