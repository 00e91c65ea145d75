import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { TIERS, VENUES, type VenueName } from "../../src/model/market.ts";
import { runBudget } from "./budget-run.ts";
import { runGrid } from "./grid-run.ts";
import { runPayloads } from "./payloads.ts";
import { ALL_GAPS, runQuietYear } from "./quiet-year.ts";

const USAGE = `Runs a grid on each emulated exchange: npm run soak [-- exchange …]

  --ticks N, --seed N      20 slots among random faults
  --quiet-year             a pair on which days and months go by between fills
  --kraken-budget [--minutes 10] [--tier starter]   two grids and a person on kraken's counted calls, in real time
  --malformed [--mutations 10000]   malformed responses to reads, so many on all of them together
  --unified                on unified accounts, where the exchange has such`;

const { values, positionals } = parseArgs({
  options: {
    help: { type: "boolean" },
    ticks: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    "quiet-year": { type: "boolean", default: false },
    "kraken-budget": { type: "boolean", default: false },
    minutes: { type: "string", default: "10" },
    tier: { type: "string", default: "starter" },
    malformed: { type: "boolean", default: false },
    mutations: { type: "string", default: "10000" },
    unified: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}
const { unified } = values;
const isBudget = values["kraken-budget"];
const all = isBudget ? ["kraken"] : Object.keys(VENUES);
const names = (positionals.length > 0 ? positionals : all) as VenueName[];

interface Run {
  readonly violations: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

async function amongFaults(name: VenueName): Promise<Run> {
  const request = { name, unified, ticks: Number(values.ticks), seed: Number(values.seed) };
  const { violations, passes, ...counted } = await runGrid(request);
  return { violations, figures: { ticks: request.ticks, ...counted, ...passes } };
}

async function quietYear(name: VenueName): Promise<Run> {
  const { violations, slowest, ...counted } = await runQuietYear({ name, unified, gaps: ALL_GAPS });
  return { violations, figures: { ...counted, "passes at most until a fill was booked": slowest } };
}

/** Of the slowest of a hundred cancels, and of stopping a grid of twenty slots. */
const GOALS = { cancel: 1500, stop: 5000 };

async function krakenBudget(): Promise<Run> {
  const tier = TIERS.kraken.find((one) => one === values.tier) ?? "starter";
  const budgetReport = await runBudget({ tier, rounds: Number(values.minutes) * 6, isReal: true });
  const { answers, limited, cancelMillis, stopMillis, left, status, calls } = budgetReport;
  const sorted = cancelMillis.toSorted((a, b) => a - b);
  const slowest = Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0);
  const stopped = Math.round(stopMillis);
  const refused = Object.entries(answers).filter(([code]) => code !== "200");
  const violations = [
    ...refused.map(([code, count]) => `${count} answers ${code}`),
    ...(limited > 0 ? [`${limited} calls found kraken's counter full`] : []),
    ...(slowest > GOALS.cancel ? [`a cancel took ${slowest} ms`] : []),
    ...(stopped > GOALS.stop ? [`the stop took ${stopped} ms`] : []),
    ...(left > 0 || status !== "stopped" ? [`${left} orders left, the grid is ${status}`] : []),
  ];
  const figures = { answers: answers[200] ?? 0, "ms cancel p99": slowest, "ms stop": stopped, ...calls };
  return { violations, figures };
}

/** What is held after an exchange's run is over: its emulated books are gone by then, and all else should be. */
function heldMiB(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return Math.round((process.memoryUsage().heapUsed / 1024 / 1024) * 10) / 10;
}

async function malformed(name: VenueName): Promise<Run> {
  const mutations = Math.ceil(Number(values.mutations) / names.length);
  const { violations, passes, ...counted } = await runPayloads({
    name,
    mutations,
    seed: Number(values.seed),
  });
  return { violations, figures: { ...counted, ...passes, "MiB held after collection": heldMiB() } };
}

const chosen = isBudget
  ? krakenBudget
  : values["quiet-year"]
    ? quietYear
    : values.malformed
      ? malformed
      : amongFaults;

let violated = 0;
for (const name of names) {
  const startedAt = performance.now();
  const { violations, figures } = await chosen(name);
  violated += violations.length;
  const lines = Object.entries(figures).map(([what, count]) => `${count} ${what}`);
  console.log(`${name}: ${lines.join(", ")}, in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  for (const violation of violations.slice(0, 20)) console.log(`  VIOLATED ${violation}`);
}
console.log(violated === 0 ? "no invariant was violated" : `${violated} violations`);
process.exitCode = violated === 0 ? 0 : 1;
