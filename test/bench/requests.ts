import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleScript } from "../support/bundle.ts";
import { orderRequest } from "../support/requests.ts";
import { cpuMillis } from "../support/workerds.ts";
import { type Figure, repeat } from "./figure.ts";
import { awake, type Server, startServer } from "./started.ts";

const TOKEN = "em_bench_0123456789abcdefghij";
/** Of one figure, after as many that are not counted. */
const REQUESTS = 400;
const CONNECTIONS = 10;
/** So many times as many orders are placed first: V8 compiles for that long what places one, which is measured apart. */
const COMPILED = 5;

const GRID = {
  exchange: "gateio",
  symbol: "BTC/USDT",
  lowerPrice: 50_000,
  upperPrice: 70_000,
  gridLevels: 20,
  orderSize: 100,
};
const ORDER = orderRequest({ exchange: "mexc" });

interface Requested {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
  readonly keyed?: boolean;
}

const LIST: Requested = { method: "GET", path: "/api/v1/strategy/grid/list" };
const STATUS: Requested = { method: "GET", path: "/api/v1/strategy/grid/status" };
const PLACE: Requested = { method: "POST", path: "/api/v1/orders", body: ORDER };

/** What requests with a stored token take on a durable database file: CPU time each, and how long under load. */
export async function requestFigures(): Promise<Figure[]> {
  const script = await bundleScript("trading-server");
  const first = {
    name: `POST /orders, the first ${REQUESTS} orders after a start: CPU time`,
    unit: "µs",
    runs: await repeat(() => onServer(script, ({ child }, ask) => microsOf(child, () => inTurn(ask, PLACE)))),
  };
  return onServer(script, async (server, ask) => {
    await ask({ method: "POST", path: "/api/v1/strategy/grid", body: GRID });
    return [...(await measured(server, ask)), first];
  });
}

async function onServer<T>(script: string, act: (server: Server, ask: Ask) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const server = await startServer(script, [join(folder, "requests.db"), TOKEN]);
  const ask = asking(server.port);
  try {
    return await act(server, ask);
  } finally {
    ask.end();
    server.child.kill("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured({ child }: Server, ask: Ask): Promise<Figure[]> {
  const micros = async (query: Requested, warmUp = 1) => {
    for (let round = 0; round < warmUp; round++) await inTurn(ask, query);
    return repeat(() => microsOf(child, () => inTurn(ask, query)));
  };
  return [
    { name: "grid list with a token: CPU time", unit: "µs", runs: await micros(LIST), goal: "≤ 300" },
    {
      name: "grid status with a token: CPU time",
      unit: "µs",
      runs: await micros(STATUS),
      goal: "≤ 300",
    },
    {
      name: "POST /orders, instant exchange: CPU time",
      unit: "µs",
      runs: await micros(PLACE, COMPILED),
      goal: "≤ 1500",
    },
    {
      name: "the same with an Idempotency-Key: CPU time",
      unit: "µs",
      runs: await micros({ ...PLACE, keyed: true }),
    },
    {
      name: `POST /orders, ${CONNECTIONS} connections: p99`,
      unit: "ms",
      runs: await repeat(() => slowest(ask)),
      goal: "≤ 60",
    },
  ];
}

type Ask = ReturnType<typeof asking>;

function asking(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let count = 0;
  const ask = ({ method, path, body, keyed = false }: Requested): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${TOKEN}`,
        ...(body ? { "content-type": "application/json" } : {}),
        ...(keyed ? { "idempotency-key": `bench-${count++}` } : {}),
      };
      const sent = request({ host: "127.0.0.1", port, agent, method, path, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () =>
          response.statusCode === 200
            ? resolve()
            : reject(new Error(`${path} answered ${response.statusCode}: ${Buffer.concat(parts)}`)),
        );
      });
      sent.on("error", reject);
      sent.end(body ? JSON.stringify(body) : undefined);
    });
  return Object.assign(ask, { end: () => agent.destroy() });
}

const inTurn = (ask: Ask, query: Requested): Promise<void> =>
  awake(async () => {
    for (let one = 0; one < REQUESTS; one++) await ask(query);
  });

async function microsOf({ pid = 0 }: ChildProcess, act: () => Promise<void>): Promise<number> {
  const before = cpuMillis(pid);
  await act();
  return ((cpuMillis(pid) - before) * 1000) / REQUESTS;
}

/** Milliseconds that 99 of 100 orders take at most, each connection placing one after the other. */
async function slowest(ask: Ask): Promise<number> {
  const times: number[] = [];
  const connection = async () => {
    for (let one = 0; one < REQUESTS / CONNECTIONS; one++) {
      const startedAt = performance.now();
      await ask(PLACE);
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}
