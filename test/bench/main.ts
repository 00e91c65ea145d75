import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { agreementFigures } from "./agreement.ts";
import { backtestFigures } from "./backtest.ts";
import { backtestCommandFigures } from "./backtest-commands.ts";
import { callTable } from "./calls.ts";
import { commandFigures } from "./commands.ts";
import { edgeFigures } from "./edge.ts";
import { type Figure, row } from "./figure.ts";
import { httpFigures } from "./http.ts";
import { killFigures } from "./kill.ts";
import { liquidityFigures } from "./liquidity.ts";
import { memoryFigures } from "./memory.ts";
import { pageFigures } from "./page.ts";
import { passFigures } from "./pass.ts";
import { requestFigures } from "./requests.ts";
import { serverFigures } from "./server.ts";
import { stepFigures } from "./steps.ts";
import { streamFigures } from "./stream.ts";
import { tickerFigures } from "./ticker.ts";

const PARTS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  commands: commandFigures,
  server: serverFigures,
  http: httpFigures,
  requests: requestFigures,
  ticker: tickerFigures,
  steps: stepFigures,
  pass: passFigures,
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

const calls = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = calls.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
  process.stderr.write(`there is no part ${unknown}: choose from ${Object.keys(PARTS).join(", ")}\n`);
  process.exit(2);
}

const figures: Figure[] = [];
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
const text = `# Benchmarks

This page lists measured figures of edgemaker. \`npm run bench -- --write\` measures them and writes this page.
\`npm run bench -- requests pass\` measures only some parts: ${Object.keys(PARTS).join(", ")}.
The load generator runs on the same machine as the server. Compare figures of one run, not of different machines.
The figures from a fill to the next order have 120 ms from a request to its response, 20 slots and ticks of 5 s.

Measured on ${machine}, on ${new Date().toISOString().slice(0, 10)}.

${table}

## Calls

Calls per pass of a quiet grid with 20 slots, every 5 s for ten minutes. Earlier versions read open orders and trades of
each pair. kraken counts a call for trades twice: 6 instead of 1.07 for two pairs.

${await callTable()}
`;
process.stdout.write(`${text}\n`);
if (process.argv.includes("--write")) writeFileSync("docs/benchmarks.md", text);
process.exit(0);
