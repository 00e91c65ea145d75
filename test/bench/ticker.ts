import { Agent, request } from "node:http";
import { bundleScript } from "../support/bundle.ts";
import { type EmulatedVenue, startVenue } from "../venues/index.ts";
import type { Figure } from "./figure.ts";
import { startServer } from "./started.ts";

const CONNECTIONS = 1000;
const SECONDS = 8;
/** How long the exchange takes to answer. */
const UPSTREAM = 100;

/** `GET /ticker` under 1,000 connections that each ask once a second, with shared answers and without. */
export async function tickerFigures(): Promise<Figure[]> {
  const script = await bundleScript("ticker-server");
  const shared = await load(script, 1000);
  const alone = await load(script, 0);
  const of = ({ p99, upstream }: Load, how: string, goals: readonly [string, string]): Figure[] => [
    { name: `GET /ticker, 1,000 connections, ${how}: p99`, unit: "ms", runs: [p99], goal: goals[0] },
    {
      name: `GET /ticker, 1,000 connections, ${how}: upstream`,
      unit: "calls/s",
      runs: [upstream],
      goal: goals[1],
    },
  ];
  return [
    ...of(shared, "responses shared for 1 s", ["≤ 150", "≤ 2"]),
    ...of(alone, "each with its own upstream call", ["", ""]),
  ];
}

interface Load {
  /** Milliseconds. */
  readonly p99: number;
  /** Calls a second. */
  readonly upstream: number;
}

async function load(script: string, keptFor: number): Promise<Load> {
  const venue = await startVenue("kraken");
  const { child, port } = await startServer(script, [venue.url, String(keptFor)]);
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  try {
    // A few at a time: a thousand at once do not fit a listening socket's queue.
    for (let first = 0; first < CONNECTIONS; first += 50)
      await Promise.all(agents.slice(first, first + 50).map((agent) => ask(port, agent)));
    venue.latency.before = UPSTREAM;
    return await measure(venue, agents, (agent) => ask(port, agent));
  } finally {
    for (const agent of agents) agent.destroy();
    child.kill("SIGTERM");
    await venue.close();
  }
}

async function measure(
  venue: EmulatedVenue,
  agents: readonly Agent[],
  call: (agent: Agent) => Promise<number>,
): Promise<Load> {
  const times: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + SECONDS * 1000;
  const before = venue.count("ticker");
  const connection = async (agent: Agent, place: number) => {
    for (let turn = 0; ; turn++) {
      const at = startedAt + turn * 1000 + (place * 1000) / CONNECTIONS;
      if (at > until) return;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())));
      times.push(await call(agent));
    }
  };
  await Promise.all(agents.map(connection));
  const seconds = (performance.now() - startedAt) / 1000;
  times.sort((a, b) => a - b);
  return {
    p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
    upstream: (venue.count("ticker") - before) / seconds,
  };
}

/** Milliseconds until the whole answer is there. */
function ask(port: number, agent: Agent): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const path = "/api/v1/ticker?exchange=kraken&symbol=BTC/USDT";
    const query = request({ host: "127.0.0.1", port, path, agent }, (response) => {
      response.resume();
      response.on("end", () =>
        response.statusCode === 200
          ? resolve(performance.now() - startedAt)
          : reject(new Error(`a ticker answered ${response.statusCode}`)),
      );
    });
    query.on("error", reject);
    query.end();
  });
}
