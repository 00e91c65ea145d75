import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import { bundleScript } from "../support/bundle.ts";
import { cpuMillis } from "../support/workerds.ts";
import { startVenue } from "../venues/index.ts";
import { type Figure, median, repeat } from "./figure.ts";

/** Of one figure, after as many that are not counted. */
const REQUESTS = 4000;
const CONNECTIONS = 8;
/** What answers are kept for: whoever asks again is told the first one. */
const FOR_EVER = 1e12;

const TICKER = "/api/v1/ticker?exchange=kraken&symbol=BTC/USDT";
const PATHS: readonly (readonly [name: string, path: string, goal: string])[] = [
  ["GET /health", "/health", "≤ 1.25"],
  [
    "a 400 answer (GET /orderbook with limit=0)",
    "/api/v1/orderbook?exchange=kraken&symbol=BTC/USDT&limit=0",
    "≤ 2",
  ],
  ["GET /ticker, its answer shared", TICKER, "≤ 2"],
];

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

/**
 * Processor time that a request takes, beside a bare Hono with the same headers and a fixed text: what else the machine
 * does counts for neither. A ratio of 1.25 is 0.8 × the requests a second of one core.
 */
export async function httpFigures(): Promise<Figure[]> {
  const venue = await startVenue("kraken");
  const ours = await start(await bundleScript("ticker-server"), [venue.url, String(FOR_EVER)]);
  const answer = await fetch(`http://127.0.0.1:${ours.port}${TICKER}`);
  const bare = await start(await bundleScript("bare-server"), [await answer.text()]);
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
      { name: `${name}: processor time`, unit: "µs", runs: own },
      { name: `${name}: of a bare Hono with a fixed text`, unit: "µs", runs: peer },
      {
        name: `${name}: the one by the other`,
        unit: "×",
        runs: pairs.map((pair) => pair.own / pair.peer),
        goal,
      },
    );
    if (Number.isNaN(median(own))) throw new Error(`${name} was not measured`);
  }
  for (const { child } of [ours, bare]) child.kill("SIGTERM");
  await venue.close();
  return figures;
}

async function start(script: string, args: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve) => {
    child.stdout.once("data", (part) => resolve(Number(part)));
  });
  return { child, port };
}

async function microsOf({ child, port }: Server, path: string): Promise<number> {
  const before = cpuMillis(child.pid ?? 0);
  await ask(port, path, REQUESTS);
  return ((cpuMillis(child.pid ?? 0) - before) * 1000) / REQUESTS;
}

/** So many requests over a few connections, each as soon as the one before is answered. */
async function ask(port: number, path: string, count: number): Promise<void> {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let left = count / CONNECTIONS;
      socket.on("data", (part) => {
        // Each answer is one packet: it is short, and written at once.
        if (!part.includes("HTTP/1.1")) return;
        if (--left > 0) socket.write(request);
        else socket.end(resolve);
      });
      socket.on("error", reject);
      socket.write(request);
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
}
