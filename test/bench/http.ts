import { connect } from "node:net";
import { bundleScript } from "../support/bundle.ts";
import { cpuMillis } from "../support/workerds.ts";
import { startVenue } from "../venues/index.ts";
import { type Figure, median, repeat } from "./figure.ts";
import { awake, type Server, startServer } from "./started.ts";

/** Of one figure, after as many that are not counted. */
const REQUESTS = 4000;
const CONNECTIONS = 8;
/** What answers are kept for: whoever asks again is told the first one. */
const FOR_EVER = 1e12;

const TICKER = "/api/v1/ticker?exchange=kraken&symbol=BTC/USDT";
const PATHS: readonly (readonly [name: string, path: string, goal: string])[] = [
  ["GET /health", "/health", "≤ 1.25"],
  [
    "a 400 response (GET /orderbook with limit=0)",
    "/api/v1/orderbook?exchange=kraken&symbol=BTC/USDT&limit=0",
    "≤ 2",
  ],
  ["GET /ticker, shared response", TICKER, "≤ 2"],
];

/**
 * Processor time that a request takes, beside a bare Hono with the same headers and a fixed text: what else the machine
 * does counts for neither. A ratio of 1.25 is 0.8 × the requests a second of one core.
 */
export async function httpFigures(): Promise<Figure[]> {
  const venue = await startVenue("kraken");
  const servers: Server[] = [];
  const started = async (name: string, args: readonly string[]) => {
    const server = await startServer(await bundleScript(name), args);
    servers.push(server);
    return server;
  };
  try {
    const ours = await started("ticker-server", [venue.url, String(FOR_EVER)]);
    const answer = await fetch(`http://127.0.0.1:${ours.port}${TICKER}`);
    return await besideEachOther(ours, await started("bare-server", [await answer.text()]));
  } finally {
    for (const { child } of servers) child.kill("SIGTERM");
    await venue.close();
  }
}

async function besideEachOther(ours: Server, bare: Server): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, path, goal] of PATHS) {
    await Promise.all([ours, bare].map(({ port }) => ask(port, path, REQUESTS)));
    const pairs: { readonly own: number; readonly peer: number }[] = [];
    await repeat(async () => {
      const pair = { own: await microsOf(ours, path), peer: await microsOf(bare, path) };
      pairs.push(pair);
      return pair.own;
    });
    const [own, peer] = [pairs.map((pair) => pair.own), pairs.map((pair) => pair.peer)];
    figures.push(
      { name: `${name}: CPU time`, unit: "µs", runs: own },
      { name: `${name}: Hono alone with a fixed text`, unit: "µs", runs: peer },
      {
        name: `${name} ÷ Hono alone`,
        unit: "×",
        runs: pairs.map((pair) => pair.own / pair.peer),
        goal,
      },
    );
    if (Number.isNaN(median(own))) throw new Error(`${name} was not measured`);
  }
  return figures;
}

async function microsOf({ child, port }: Server, path: string): Promise<number> {
  const before = cpuMillis(child.pid ?? 0);
  await ask(port, path, REQUESTS);
  return ((cpuMillis(child.pid ?? 0) - before) * 1000) / REQUESTS;
}

/** So many requests over a few connections, each as soon as the one before is answered. */
const ask = (port: number, path: string, count: number): Promise<void> =>
  awake(() =>
    Promise.all(Array.from({ length: CONNECTIONS }, () => askInTurn(port, path, count / CONNECTIONS))),
  );

function askInTurn(port: number, path: string, count: number): Promise<void> {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  return new Promise<void>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let left = count;
    socket.on("data", (part) => {
      // Each answer is one packet: it is short, and written at once.
      if (!part.includes("HTTP/1.1")) return;
      if (--left > 0) socket.write(request);
      else socket.end(resolve);
    });
    socket.on("error", reject);
    socket.write(request);
  });
}
