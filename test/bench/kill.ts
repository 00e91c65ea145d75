import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { digest } from "../../src/kernel/digest.ts";
import { TOKENS } from "../support/app.ts";
import { bundleScript } from "../support/bundle.ts";
import { BY } from "../support/by.ts";
import { edgeDatabase } from "../support/edge.ts";
import { spawnServer } from "../support/server.ts";
import { makeFolder } from "../support/temp.ts";
import { startWorker } from "../support/worker.ts";
import type { Figure } from "./figure.ts";

/** The longest that a kill can take under each load. */
const GOAL = "≤ 1500";
/** How long each load runs before the first round, how many rounds follow, and of how many requests. */
const WARM_UP = 2000;
const ROUNDS = 3;
const REQUESTS = 24;
const APART = 200;
const RETRY_AFTER_RESET = 100;

const GRIDS = ["kraken", "mexc"].map((exchange) => ({
  exchange,
  symbol: "BTC/USDT",
  lowerPrice: 50_000,
  upperPrice: 70_000,
  gridLevels: 20,
  orderSize: 60,
}));

interface Target {
  readonly port: number;
  /** Tokens that no setting names: each request looks them up in the database. */
  readonly reader: string;
  readonly admin: string;
  /** The database's address. */
  readonly url: string;
  close(): Promise<void>;
}

/** Own strategies that never return. */
const HOSTILE = {
  loops: "for (;;);",
  fills: "const all = []; for (;;) all.push(new Array(2 ** 25).fill(0.5));",
};

/** What else happens during a kill. */
const LOADS: Readonly<Record<string, string>> = {
  nothing: "no other load",
  suggest: "30 suggestions of one reader",
  backtest: "50 backtests of one reader",
  readers: "1,000 readers on one machine",
  address: "400 requests from one address",
  lock: "a database that another process locks",
  strategies: "previews of strategies that loop and fill the memory",
};

export async function killFigures(): Promise<Figure[]> {
  const script = await bundleScript("kill-load");
  const figures: Figure[] = [];
  const only = process.argv.find((word) => word.startsWith("--only="))?.slice("--only=".length) ?? "";
  for (const [platform, start] of Object.entries({ Node: startNode, workerd: startEdge }))
    for (const [load, name] of Object.entries(LOADS)) {
      if (!`${platform}, ${name}`.includes(only)) continue;
      // The Worker of this measurement has no strategies.
      if (load === "strategies" && platform === "workerd") continue;
      const target = await start(load === "address" ? "loopback" : "off");
      try {
        figures.push(...(await underLoad(target, [script, load], `${platform}, ${name}`)));
      } finally {
        await target.close();
      }
    }
  return figures;
}

async function underLoad(target: Target, [script, load]: [string, string], name: string): Promise<Figure[]> {
  const args = [script, load, String(target.port), target.reader];
  const loading = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const free = load === "lock" ? await locked(target.url) : async () => undefined;
  await sleep(WARM_UP);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measured(target));
  await free();
  const [report] = await Promise.all([once(loading.stdout, "data"), loading.kill("SIGTERM")]);
  const statuses = countsOf(rounds.flatMap(({ kills }) => kills.map(({ status }) => status)));
  const resets = rounds
    .flatMap(({ kills, healths }) => [...kills, ...healths])
    .reduce((sum, one) => sum + one.resets, 0);
  process.stderr.write(
    `${name}: kill statuses ${statuses}, ${resets} connections reset; load statuses ${String(report).trim()}\n`,
  );
  const p99 = (of: (round: Round) => readonly Answer[]) => rounds.map((round) => percentile(of(round)));
  return [
    { name: `${name}: kill, p99`, unit: "ms", runs: p99(({ kills }) => kills), goal: GOAL },
    { name: `${name}: /health, p99`, unit: "ms", runs: p99(({ healths }) => healths), goal: GOAL },
  ];
}

interface Answer {
  readonly status: number;
  /** From the first attempt. */
  readonly millis: number;
  /** Connections that the server reset before it answered. */
  readonly resets: number;
}

interface Round {
  readonly kills: readonly Answer[];
  readonly healths: readonly Answer[];
}

/** Sends requests at a fixed pace, each over a new connection: a slow answer delays none of the others. */
async function measured({ port, admin }: Target): Promise<Round> {
  const kills: Promise<Answer>[] = [];
  const healths: Promise<Answer>[] = [];
  for (let count = 0; count < REQUESTS; count++) {
    kills.push(timed(port, admin, { on: true }));
    healths.push(timed(port, admin));
    await sleep(APART);
  }
  return { kills: await Promise.all(kills), healths: await Promise.all(healths) };
}

/** Times a kill with this body, or /health without a body. A request whose connection is reset is sent again, as a client does. */
function timed(
  port: number,
  token: string,
  body?: object,
  startedAt = performance.now(),
  resets = 0,
): Promise<Answer> {
  const [method, path] = body ? ["POST", "/api/v1/kill"] : ["GET", "/health"];
  const headers = {
    authorization: `Bearer ${token}`,
    "cf-connecting-ip": "203.0.113.9",
    ...(body ? { "content-type": "application/json" } : {}),
  };
  return new Promise((resolve) => {
    const again = () =>
      setTimeout(() => resolve(timed(port, token, body, startedAt, resets + 1)), RETRY_AFTER_RESET);
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      response.resume();
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, millis: performance.now() - startedAt, resets }),
      );
    });
    sent.on("error", again);
    sent.end(body ? JSON.stringify(body) : undefined);
  });
}

const percentile = (all: readonly Answer[]): number =>
  all.map(({ millis }) => millis).sort((a, b) => a - b)[Math.floor(all.length * 0.99)] ?? Number.NaN;

const countsOf = (statuses: readonly number[]): string =>
  [...new Set(statuses)]
    .map((status) => `${statuses.filter((other) => other === status).length} × ${status}`)
    .join(", ");

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

async function startNode(rates: string): Promise<Target> {
  const { path: folder, remove } = makeFolder();
  const db = `file:${join(folder, "bench.db")}`;
  mkdirSync(join(folder, "strategies"));
  for (const [name, code] of Object.entries(HOSTILE))
    writeFileSync(
      join(folder, `strategies/${name}.ts`),
      `import { defineStrategy, z } from "edgemaker";
export default defineStrategy({ name: "${name}", config: z.object({}), orders() { ${code} return []; } });`,
    );
  const settings = { EDGEMAKER_RATE_LIMIT: rates, EDGEMAKER_LOG_LEVEL: "error" };
  const server = spawnServer(folder, ["--sandbox", "--origin", ORIGIN, "--db", db], settings);
  const url = await server.listens;
  if (url === undefined) throw new Error(`the server ended: ${server.stderr()}`);
  const send = async (path: string, body: object) =>
    (await server.ask(`/api/v1${path}`, { method: "POST", body: JSON.stringify(body) })).json();
  const token = async (scope: string) =>
    ((await send("/tokens", { name: scope, scope })) as { token: string }).token;
  const target = { url: db, reader: await token("read"), admin: await token("admin") };
  for (const grid of GRIDS) await send("/strategy/grid", grid);
  const close = async () => {
    await server.kill("SIGKILL");
    remove();
  };
  return { ...target, port: Number(new URL(url).port), close };
}

async function startEdge(rates: string): Promise<Target> {
  const settings = { EDGEMAKER_SANDBOX: "1", EDGEMAKER_LOG_LEVEL: "error" };
  const database = await edgeDatabase({
    ...settings,
    ...(rates === "off" ? { EDGEMAKER_RATE_LIMIT: rates } : {}),
  });
  const hash = await digest(TOKENS.trade.replace("em_", "em_owner_"));
  const admin = TOKENS.trade.replace("em_", "em_owner_");
  await database.deps.store.addToken(
    { id: "tok_own", name: "own", scope: "admin", expiresAt: null, hash },
    BY,
  );
  const worker = await startWorker(database.settings, { assets: true });
  const url = await worker.ready;
  const close = async () => {
    await worker.dispose();
    await database.close();
  };
  return { url: database.url, port: Number(url.port), reader: TOKENS.read, admin, close };
}

/** Locks a database until the caller calls the result. A libSQL server ends each transaction after a few seconds. */
async function locked(url: string): Promise<() => Promise<void>> {
  let isOver = false;
  const client = createClient({ url });
  const lock = async () => {
    const opened = await client.transaction("write");
    await opened.execute("update control set kind = kind");
    return opened;
  };
  const first = await lock();
  const holding = (async () => {
    let transaction = first;
    while (!isOver) {
      await sleep(MAX_TRANSACTION_MS);
      if (url.startsWith("file:") && !isOver) continue;
      transaction.close();
      if (!isOver) transaction = await lock();
    }
    transaction.close();
  })();
  return async () => {
    isOver = true;
    await holding;
    client.close();
  };
}

const MAX_TRANSACTION_MS = 4000;
const ORIGIN = "2026-01-01T00:00:00Z";
