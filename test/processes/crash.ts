import { existsSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { createRandom } from "../simulation/random.ts";
import { auditSandbox } from "../support/audit.ts";
import { root } from "../support/bundle.ts";
import { eventually, type Spawned, spawnServer } from "../support/server.ts";

const month = join(root, "../shared/data/btc-usd-2022-01-1m.csv.gz");
/** The candles of January 2022, where they are. */
export const candles = existsSync(month) ? month : undefined;

export interface CrashRun {
  readonly seed: number;
  readonly kills: number;
  /** Milliseconds that a server lives on average; one in five is counted from before it listens. */
  readonly life: number;
  /** Market time runs so many times faster. */
  readonly speed: number;
  /** One order by hand in each life, under an idempotency key, asked again until it is answered. */
  readonly byHand: boolean;
}

export interface Grid {
  readonly id: string;
  readonly status: string;
  readonly gridLevels: number;
  readonly openOrders: number;
  readonly filledOrders: number;
  readonly cycles: number;
  readonly refused: readonly { readonly reason: string }[];
}

/** Prices that the market walks through: of the replayed month, or around the generated path's start. */
const [lowerPrice, upperPrice] = candles ? [36_000, 48_000] : [54_000, 66_000];
const market = { symbol: "BTC/USDT", lowerPrice, upperPrice, gridLevels: 40, orderSize: 500 };
const EXCHANGES = ["kraken", "mexc"] as const;
const GRIDS = [
  { ...market, exchange: "kraken" },
  { ...market, exchange: "mexc" },
  { ...market, exchange: "kraken", gridLevels: 25, orderSize: 200 },
];
const BY_HAND = { exchange: "kraken", symbol: "ETH/USDT", side: "buy", type: "limit", amount: 0.01 };

/** Trades in a sandbox whose server is killed at random moments, then stops all grids and looks what is there. */
export async function crash(folder: string, { seed, kills, life, speed, byHand }: CrashRun) {
  const random = createRandom(seed);
  const db = `file:${join(folder, "crash.db")}`;
  const replay = candles ? ["--replay", candles] : [];
  const args = ["--db", db, "--sandbox", ...replay, "--speed", String(speed), "--tick-interval", "100"];
  const unanswered = new Map<string, object>();
  let [early, server] = [0, spawnServer(folder, args)];
  try {
    await server.listens;
    for (const grid of GRIDS) await send(server, "POST", "/strategy/grid", grid);
    for (let kill = 0; kill < kills; kill++) {
      if (!random.chance(0.2)) await server.listens;
      if (byHand) placeByHand(server, unanswered, `${seed}-${kill}`, random.whole(900, 1100));
      const end = wait(random.whole(0, 2 * life));
      const isUp = await Promise.race([server.listens.then(() => true), end.then(() => false)]);
      if (!isUp) early++;
      await end;
      await server.kill("SIGKILL");
      server = spawnServer(folder, args);
    }
    await server.listens;
    const startedAt = performance.now();
    const whole = await eventually(
      () => grids(server),
      (all) => all.every(isWhole),
    );
    const wholeAfter = performance.now() - startedAt;
    const results: boolean[] = [];
    for (const [key, body] of unanswered) results.push(await askAgain(server, key, body));
    const byHandPlaced = results.filter(Boolean).length;
    await server.ask("/api/v1/orders?exchange=kraken&symbol=ETH/USDT", { method: "DELETE" });
    for (const { id } of whole) await send(server, "DELETE", "/strategy/grid", { id });
    await eventually(
      () => grids(server),
      (all) => all.every(({ status }) => status === "stopped"),
    );
    await server.kill("SIGTERM");
    const audits = await Promise.all(
      EXCHANGES.map((exchange) => auditSandbox(createClient({ url: db }), exchange)),
    );
    return { early, wholeAfter, whole, keys: unanswered.size, byHandPlaced, audits };
  } finally {
    await server.kill("SIGKILL");
  }
}

const wait = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

async function send(server: Spawned, method: "POST" | "DELETE", path: string, body: object): Promise<void> {
  const response = await server.ask(`/api/v1${path}`, { method, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

async function grids(server: Spawned): Promise<readonly Grid[]> {
  const response = await server.ask("/api/v1/strategy/grid/status");
  return ((await response.json()) as { strategies: Grid[] }).strategies;
}

/** Every slot rests an order or says why it does not. */
const isWhole = ({ gridLevels, openOrders, refused }: Grid): boolean =>
  openOrders + refused.length === gridLevels;

const post = (server: Spawned, key: string, body: object) =>
  server.ask("/api/v1/orders", {
    method: "POST",
    headers: { "idempotency-key": key },
    body: JSON.stringify(body),
  });

/** Far below the market, so that it rests. Whether it is answered depends on when the server dies. */
function placeByHand(server: Spawned, unanswered: Map<string, object>, key: string, price: number): void {
  const body = { ...BY_HAND, price };
  unanswered.set(key, body);
  post(server, key, body).catch(() => undefined);
}

/**
 * Whether the order of a key was placed, or certainly was not: it is never sent a second time. A key whose
 * first request died with its server is free again after a minute.
 */
async function askAgain(server: Spawned, key: string, body: object): Promise<boolean> {
  const answer = await eventually(
    async () => {
      const response = await post(server, key, body);
      return { status: response.status, ...((await response.json()) as { error?: string }) };
    },
    ({ status, error }) => status === 200 || error === "Order failed",
  );
  return answer.status === 200;
}
