import { Agent, request } from "node:http";
import { SECOND } from "../../src/kernel/time.ts";
import { type HeapServer, heapServer } from "../pentest/heap-server.ts";
import { orderRequest } from "../support/requests.ts";
import type { Figure } from "./figure.ts";

/** Before the first look: what is made once and kept, such as prices of the path, is made by then. */
const WARM = 300 * SECOND;
const BETWEEN_LOOKS = 30 * SECOND;
const LOOKS = 7;
const CONNECTIONS = 10;

const GRID = {
  exchange: "gateio",
  symbol: "BTC/USDT",
  lowerPrice: 50_000,
  upperPrice: 70_000,
  gridLevels: 20,
  orderSize: 100,
};
const ORDER = orderRequest({ exchange: "mexc" });

/** What the heap holds beside code once its garbage is collected, while ten connections ask as fast as they are answered. */
export async function memoryFigures(): Promise<Figure[]> {
  const server = await heapServer();
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const ask = asking(server, agent);
  let isOver = false;
  let rounds = 0;
  const connection = async (number: number) => {
    for (; !isOver; rounds++) await oneRound(ask, `${number}-${rounds}`);
  };
  try {
    await ask("POST", "/api/v1/strategy/grid", { body: GRID });
    const load = Promise.all(Array.from({ length: CONNECTIONS }, (_, number) => connection(number)));
    const samples = await Promise.race([looks(server), load.then(() => [])]);
    isOver = true;
    await load;
    const output = samples.map((megabytes) => megabytes.toFixed(1)).join(" ");
    process.stderr.write(`${rounds} rounds of 7 requests; MB held: ${output}\n`);
    return figures(samples);
  } finally {
    agent.destroy();
    await server.close();
  }
}

async function looks(server: HeapServer): Promise<number[]> {
  const samples: number[] = [];
  await until(WARM);
  while (samples.length < LOOKS) {
    if (samples.length > 0) await until(BETWEEN_LOOKS);
    samples.push(((await server.heap()) ?? Number.NaN) / 2 ** 20);
  }
  return samples;
}

const until = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

function figures(samples: readonly number[]): Figure[] {
  const [first, ...later] = samples;
  return [
    { name: "heap after five minutes of full load, sampled every 30 s", unit: "MB", runs: samples },
    {
      name: "the same, divided by the first sample",
      unit: "×",
      runs: later.map((late) => late / (first as number)),
      goal: "≤ 1.05",
    },
  ];
}

type Ask = ReturnType<typeof asking>;

/** What people, pages and agents ask, and an order that is placed and cancelled. */
async function oneRound(ask: Ask, wrong: string): Promise<void> {
  for (const path of ["/health", "/api/v1/strategy/grid/list", "/api/v1/strategy/grid/status"])
    await ask("GET", path);
  await ask("GET", "/api/v1/ticker?exchange=kraken&symbol=BTC/USDT");
  await ask("GET", `/api/v1/orderbook?exchange=kraken&symbol=BTC/USDT&limit=${wrong}`, { expected: 400 });
  const { order } = JSON.parse(await ask("POST", "/api/v1/orders", { body: ORDER })) as {
    order: { id: string };
  };
  await ask("DELETE", `/api/v1/orders/${order.id}?exchange=mexc&symbol=BTC/USDT`);
}

const asking =
  ({ url, token }: HeapServer, agent: Agent) =>
  (
    method: string,
    path: string,
    { body, expected = 200 }: { readonly body?: object; readonly expected?: number } = {},
  ): Promise<string> => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body ? { "content-type": "application/json" } : {}),
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${url}${path}`, { agent, method, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => {
          const text = String(Buffer.concat(parts));
          if (response.statusCode === expected) resolve(text);
          else reject(new Error(`${method} ${path} answered ${response.statusCode}: ${text}`));
        });
      });
      sent.on("error", reject);
      sent.end(body ? JSON.stringify(body) : undefined);
    });
  };
