import { Miniflare } from "miniflare";
import { bundleKibibytes } from "../../cli/build/worker-bundle.mjs";
import { DAY } from "../../src/kernel/time.ts";
import { TOKENS } from "../support/app.ts";
import { deployment } from "../support/deployment.ts";
import { cpuMillis, workerds } from "../support/workerds.ts";
import { type Figure, RUNS } from "./figure.ts";

const GRID = { symbol: "BTC/USDT", lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 20, orderSize: 60 };
const WARM = 40;
const TICKS = 200;
/** A year's bars: of shorter ones an exchange is asked for at most 30,000. */
const YEARS = { hours: { timeframe: "1h", bars: 8760 }, days: { timeframe: "1d", bars: 365 } };
/** Calls to an exchange wait for nothing. */
const AT_ONCE = { EDGEMAKER_RATE_LIMIT: "outbound=9999" };
const PAST = "POST /backtest over a year of";

/** What a deployment weighs, and what a steady pass over a grid of 20 slots on an emulated exchange takes in workerd. */
export async function edgeFigures(): Promise<Figure[]> {
  const edge = await deployment(1, { only: ["bitget"], settings: AT_ONCE });
  const empty = await cpuOfStart(async () => {
    const worker = new Miniflare({ modules: true, script: "export default { fetch: () => new Response() }" });
    await worker.ready;
    await (await worker.dispatchFetch("http://localhost")).text();
    return worker;
  });
  const starts: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const started = await cpuOfStart(async () => {
      const worker = await edge.start();
      await (await worker.dispatchFetch("http://localhost/health")).text();
      return worker;
    });
    starts.push(started - empty);
  }
  const ticks = await cpuOfTicks(edge);
  await edge.close();
  const emptyTurns = await cpuOfEmptyTurns();
  const hours = await cpuOfYears(YEARS.hours);
  const days = await cpuOfYears(YEARS.days);
  return [
    { name: "the worker's bundle, compressed", unit: "KiB", runs: [bundleKibibytes()], goal: "≤ 720" },
    {
      name: "the worker's start in workerd, CPU beyond an empty worker's",
      unit: "ms",
      runs: starts,
      goal: "≤ 100",
    },
    {
      name: `a steady pass in workerd, CPU, p50 of ${TICKS}`,
      unit: "ms",
      runs: ticks.map((run) => at(run, 0.5)),
      goal: "≤ 8",
    },
    {
      name: `a steady pass in workerd, CPU, p95 of ${TICKS}`,
      unit: "ms",
      runs: ticks.map((run) => at(run, 0.95)),
      goal: "≤ 10",
    },
    {
      name: "a request to an empty worker, p50",
      unit: "ms",
      runs: emptyTurns,
    },
    { name: `${PAST} hours in workerd, 40 slots, read from the exchange: CPU`, unit: "ms", runs: hours },
    { name: `${PAST} days, as above`, unit: "ms", runs: days, goal: "≤ 10" },
  ];
}

async function cpuOfStart(start: () => Promise<Miniflare>): Promise<number> {
  const before = workerds();
  const worker = await start();
  const [pid = 0] = workerds().filter((one) => !before.includes(one));
  const millis = cpuMillis(pid);
  await worker.dispose();
  return millis;
}

async function cpuOfTicks(edge: Awaited<ReturnType<typeof deployment>>): Promise<number[][]> {
  const before = workerds();
  const worker = await edge.start();
  const [pid = 0] = workerds().filter((one) => !before.includes(one));
  await edge.startGrid(worker, { exchange: "bitget", ...GRID });
  const account = `live:bitget:${new URL(edge.accounts.venues.bitget.url).host}`;
  const { queue } = await worker.getWorker();
  let scheduled = Date.UTC(2026, 0, 1);
  const tick = async () => {
    scheduled += 60_000;
    // A minute lies between two passes: the rate of calls is whole again.
    await edge.rested();
    const body = { account, scheduled };
    const from = edge.turns.length;
    const startedAt = cpuMillis(pid);
    await queue("edgemaker-turns", [
      { id: String(scheduled), timestamp: new Date(scheduled), attempts: 1, body },
    ]);
    const millis = cpuMillis(pid) - startedAt;
    const [turn] = await edge.turnsEnded(from, 1);
    if (turn?.outcome !== "stepped") throw new Error(`a pass ${turn?.outcome}: ${turn?.reason}`);
    return millis;
  };
  for (let warm = 0; warm < WARM; warm++) await tick();
  const runs: number[][] = [];
  for (let run = 0; run < RUNS; run++) {
    const all: number[] = [];
    for (let one = 0; one < TICKS; one++) all.push(await tick());
    runs.push(all.sort((a, b) => a - b));
  }
  await worker.dispose();
  return runs;
}

/** What it takes to hand a turn to a worker that does nothing: no platform counts it. */
async function cpuOfEmptyTurns(): Promise<number[]> {
  const before = workerds();
  const worker = new Miniflare({
    modules: true,
    script: "export default { queue: (batch) => batch.ackAll() }",
    queueConsumers: ["edgemaker-turns"],
  });
  await worker.ready;
  const [pid = 0] = workerds().filter((one) => !before.includes(one));
  const { queue } = await worker.getWorker();
  const turn = async (place: number) => {
    const body = { account: "live:bitget:127.0.0.1:40000", scheduled: place };
    const startedAt = cpuMillis(pid);
    await queue("edgemaker-turns", [{ id: String(place), timestamp: new Date(place), attempts: 1, body }]);
    return cpuMillis(pid) - startedAt;
  };
  for (let warm = 0; warm < WARM; warm++) await turn(warm);
  const runs: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const all: number[] = [];
    for (let one = 0; one < TICKS; one++) all.push(await turn(one));
    runs.push(
      at(
        all.sort((a, b) => a - b),
        0.5,
      ),
    );
  }
  await worker.dispose();
  return runs;
}

/** Backtests over a year, the first of them left out: that one compiles. */
async function cpuOfYears(year: (typeof YEARS)[keyof typeof YEARS]): Promise<number[]> {
  const edge = await deployment(1, { only: ["mexc"], settings: AT_ONCE });
  const before = workerds();
  const worker = await edge.start();
  const [pid = 0] = workerds().filter((one) => !before.includes(one));
  const now = Date.now();
  const body = JSON.stringify({
    exchange: "mexc",
    symbol: "BTC/USDT",
    config: { lowerPrice: 40_000, upperPrice: 80_000, gridLevels: 40, orderSize: 500 },
    tick: 0.01,
    lot: 0.000001,
    makerFee: 0.001,
    fills: 0,
    timeframe: year.timeframe,
    since: now - 365 * DAY,
  });
  const headers = { authorization: `Bearer ${TOKENS.admin}`, "content-type": "application/json" };
  const countRequests = async () => {
    const startedAt = cpuMillis(pid);
    const response = await worker.dispatchFetch("http://localhost/api/v1/backtest", {
      method: "POST",
      headers,
      body,
    });
    const answer = (await response.json()) as { bars?: number };
    if ((answer.bars ?? 0) < year.bars - 2)
      throw new Error(`no year: ${JSON.stringify(answer).slice(0, 300)}`);
    return cpuMillis(pid) - startedAt;
  };
  await countRequests();
  const runs: number[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await countRequests());
  await worker.dispose();
  await edge.close();
  return runs;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
