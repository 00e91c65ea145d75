import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { runPass } from "../../src/engine/pass/pass.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import { VENUES, type VenueName } from "../../src/model/market.ts";
import { bundleScript } from "../support/bundle.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { runCommand } from "../support/process-time.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { type EmulatedVenue, startVenue } from "../venues/index.ts";
import { accountFigures } from "./account.ts";
import { agreementFigures } from "./agreement.ts";
import { backtestFigures } from "./backtest.ts";
import { edgeFigures } from "./edge.ts";
import { type Figure, noCandles, repeat, row } from "./figure.ts";
import { httpFigures } from "./http.ts";
import { killFigures } from "./kill.ts";
import { liquidityFigures } from "./liquidity.ts";
import { memoryFigures } from "./memory.ts";
import { pageFigures } from "./page.ts";
import { passFigures } from "./pass.ts";
import { requestFigures } from "./requests.ts";
import { serverFigures, start } from "./server.ts";
import { startServer } from "./started.ts";
import { streamFigures } from "./stream.ts";

const figures: Figure[] = [];

const FILE = "../shared/data/btc-usd-2022-01-1m.csv.gz";
const YEAR = 525_600;
const GRID =
  "--exchange kraken --symbol BTC/USDT --lower 33000 --upper 48000 --levels 40 --size 500 --tick 0.1 --lot 0.00001 --maker-fee 0.001".split(
    " ",
  );

const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];

const CONNECTIONS = 1000;
const SECONDS = 8;
/** How long the exchange takes to answer. */
const UPSTREAM = 100;

const PARTS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  commands: commandFigures,
  server: serverFigures,
  http: httpFigures,
  requests: requestFigures,
  ticker: tickerFigures,
  steps: stepFigures,
  pass: passFigures,
  account: accountFigures,
  liquidity: liquidityFigures,
  agreement: agreementFigures,
  memory: memoryFigures,
  edge: edgeFigures,
  kill: killFigures,
  page: pageFigures,
  backtest: backtestFigures,
  "backtest-commands": backtestCommandFigures,
  stream: streamFigures,
};

if (process.argv.includes("--help")) {
  console.log(`Measures docs/benchmarks.md: npm run bench [-- ${Object.keys(PARTS).join(" | ")} …]

  --write        writes the page; all parts only
  --only=TEXT    of the part kill, the figures whose name contains this`);
  process.exit();
}
const calls = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = calls.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
  process.stderr.write(`there is no part ${unknown}: choose from ${Object.keys(PARTS).join(", ")}\n`);
  process.exit(2);
}

for (const [name, part] of Object.entries(PARTS)) {
  if (calls.length > 0 && !calls.includes(name)) continue;
  process.stderr.write(`${name}…\n`);
  figures.push(...(await part()));
}

const machine = `Node ${process.version} on ${process.platform} ${process.arch}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
const table = [`| figure | median | least – most | goal |`, "|---|---|---|---|", ...figures.map(row)].join(
  "\n",
);
if (calls.length > 0) {
  process.stdout.write(`${machine}\n\n${table}\n`);
  process.exit(0);
}

const RANGES = { "BTC/USDT": ["57000", "63000"], "ETH/USDT": ["2850", "3150"] } as const;
/** Ten minutes of passes. */
const PASSES = 120;
/** Version 0.1.0 of 2026-11-20: two private calls a pair and pass, of which kraken counted that for trades twice. */
const BEFORE: Readonly<Record<number, number>> = { 1: 2, 2: 4 };

const text = `# Benchmarks

This page lists measured figures of edgemaker. \`npm run bench -- --write\` measures them and writes this page.
\`npm run bench -- requests pass\` measures only these parts. All parts: ${Object.keys(PARTS).join(", ")}.
The load generator runs on the same machine as the server. Compare figures of one run, not of different machines.
For the figures from a fill to the next order, the exchange responds after 120 ms, the grid has 20 slots, and a round starts every 5 s.

Measured on ${machine}, on ${new Date().toISOString().slice(0, 10)}.

${table}

## Calls

These are the calls per pass of quiet grids with 20 slots, one per pair, with a pass every 5 s for ten minutes. Version 0.1.0 read
open orders and trades of each pair. kraken counts a call for trades twice: two pairs counted 6, and now 1.07.

${await callTable()}
`;
process.stdout.write(`${text}\n`);
if (process.argv.includes("--write")) writeFileSync("docs/benchmarks.md", text);
process.exit(0);

/** The real month again and again, as a file of a year of minutes. */
function yearOfMinutes(): string {
  const [names, ...rows] = gunzipSync(readFileSync(FILE)).toString("utf8").trim().split("\n");
  const figures = rows.map((row) => row.slice(row.indexOf(",")));
  const from = Date.UTC(2022, 0, 1);
  const all = Array.from({ length: YEAR }, (_, i) => `${from + i * MINUTE}${figures[i % figures.length]}`);
  return [names, ...all].join("\n");
}

/** Processor time of whole commands, from the start of the process to its end, beside what Node alone has. */
export async function backtestCommandFigures(): Promise<Figure[]> {
  if (!existsSync(FILE)) return noCandles("backtest-commands", FILE);
  const home = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const file = join(home, "year.csv");
  writeFileSync(file, yearOfMinutes());
  const millisOf = (args: readonly string[]) => async () => runCommand(home, args).millis;
  runCommand(home, ["candles", "import", file, "--symbol", "BTC/USDT", "--from", "kraken"]);
  const unit = "ms of CPU time";
  const figures: Figure[] = [
    {
      name: "`edgemaker backtest` over a year of minutes from CSV, with the band",
      unit,
      runs: await repeat(millisOf(["backtest", ...GRID, "--data", file])),
      goal: "≤ 1,500",
    },
    {
      name: "the same from stored candles",
      unit,
      runs: await repeat(millisOf(["backtest", ...GRID])),
      goal: "≤ 300",
    },
    { name: "for comparison, `--version`", unit, runs: await repeat(millisOf(["--version"])) },
  ];
  rmSync(home, { recursive: true, force: true });
  return figures;
}

/** Signed calls of a pass over quiet grids of 20 slots, one a pair, by a clock that moves when told. */
async function callsOf(name: VenueName, pairs: number): Promise<number> {
  const { deps, time, exchange, close } = await emulatedExchanges({ names: [name] });
  for (const [symbol, [lower, upper]] of Object.entries(RANGES).slice(0, pairs)) {
    await runOperation(
      deps,
      "start_grid",
      gridInput({
        exchange: name,
        symbol,
        lowerPrice: decimal(lower),
        upperPrice: decimal(upper),
        gridLevels: 20,
      }),
    );
  }
  const pass = async (wait: number) => {
    time.pass(wait);
    const [{ outcome, message } = { outcome: "none", message: "" }] = await runRound(deps);
    if (outcome !== "stepped") throw new Error(`a pass over ${name} ${outcome}: ${message}`);
  };
  for (let place = 0; place < 10; place++) await pass(20 * SECOND);
  const venue = exchange(name);
  venue.resetCounts();
  for (let place = 0; place < PASSES; place++) await pass(5 * SECOND);
  const signed = venue.observed.filter(({ key }) => key !== undefined).length;
  await close();
  return signed / PASSES;
}

/** A table of them, as lines of Markdown. */
export async function callTable(): Promise<string> {
  const rows: string[] = [];
  for (const name of Object.keys(VENUES) as VenueName[]) {
    const now = [await callsOf(name, 1), await callsOf(name, 2)].map((calls) => calls.toFixed(2));
    rows.push(`| ${name} | ${BEFORE[1]} | ${now[0]} | ${BEFORE[2]} | ${now[1]} |`);
  }
  return [
    "| signed calls of a quiet pass | one pair, 0.1.0 | one pair, now | two pairs, 0.1.0 | two pairs, now |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** Processor time of whole commands, from the start of the process to its end, beside what Node alone has. */
export async function commandFigures(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const unit = "ms of CPU time";
  const had = async (args: readonly string[]) => {
    // The first one makes the database, and keeps what was compiled.
    runCommand(home, args);
    return repeat(async () => runCommand(home, args).millis);
  };
  const figures = [
    { name: "`--help`", unit, runs: await had(["--help"]), goal: "≤ 60" },
    { name: "`grid list --sandbox`", unit, runs: await had(["grid", "list", "--sandbox"]), goal: "≤ 120" },
    { name: "`ticker --sandbox`", unit, runs: await had(["ticker", ...MARKET, "--sandbox"]) },
    { name: "for comparison, `--version`", unit, runs: await had(["--version"]) },
  ];
  const server = await start(29_090, undefined, home);
  const name = "`grid list --sandbox` while its server runs";
  figures.push({ name, unit, runs: await had(["grid", "list", "--sandbox"]), goal: "≤ 90" });
  await server.stop();
  rmSync(home, { recursive: true, force: true });
  return figures;
}

/** Passes per second over one account with 20 grids of 20 slots, on a database file. */
export async function stepFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const { deps, venue, time, context } = await testSandbox({ url: `file:${join(folder, "steps.db")}` });
  const kraken = venue("kraken");
  for (let place = 0; place < 20; place++) {
    const shift = BigInt(place) * decimal("7");
    await runOperation(
      deps,
      "start_grid",
      gridInput({
        lowerPrice: decimal("55000") + shift,
        upperPrice: decimal("65000") + shift,
        gridLevels: 20,
        orderSize: decimal("50"),
      }),
    );
  }
  const runs = await repeat(async () => {
    const startedAt = performance.now();
    let count = 0;
    for (; performance.now() - startedAt < 3 * SECOND; count++) {
      time.pass(SECOND);
      const { outcome, message } = await runPass(deps, kraken);
      if (outcome !== "stepped") throw new Error(`a pass ${outcome}: ${message}`);
    }
    return (count * SECOND) / (performance.now() - startedAt);
  });
  context.client.close();
  rmSync(folder, { recursive: true, force: true });
  return [{ name: "passes over one account with 20 grids of 20 slots", unit: "passes/s", runs }];
}

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
