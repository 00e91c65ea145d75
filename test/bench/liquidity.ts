import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Decimal, ONE } from "../../src/kernel/decimal.ts";
import { hashText, pseudorandomShare } from "../../src/kernel/hash.ts";
import { dayOf } from "../../src/kernel/time.ts";
import { createLiquidityStore } from "../../src/liquidity/store/store.ts";
import { dateOf } from "../../src/model/limits.ts";
import { MINUTES_PER_DAY } from "../../src/model/samples/sample.ts";
import { type Context, statement } from "../../src/storage/client/context.ts";
import { liquidityMinutes } from "../../src/storage/tables/liquidity-tables.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { type Figure, RUNS, repeat } from "./figure.ts";

const DAYS = 62;
const YEAR = 366;
const PAIR = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const REPORTS = 100;

/** Reports over stored minutes, beside a database file: CPU time, and how long anybody else would have waited. */
export async function liquidityFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const { deps, context } = await testSandbox({ url: `file:${join(folder, "report.db")}`, realTime: true });
  const liquidity = { store: createLiquidityStore(context), pairs: [PAIR] };
  const today = dayOf(Date.now());
  await keepMinutes(context, { first: today - DAYS, to: today });
  const report = (days: number, spread = ONE) =>
    runOperation({ ...deps, liquidity }, "get_liquidity_report", {
      ...PAIR,
      from: dateOf(today - days),
      to: dateOf(today - 1),
      preset: "agreement",
      spreadPercent: 100n * spread,
    });
  const forget = () => context.client.execute("delete from liquidity_days");
  const first = await repeat(async () => {
    await forget();
    return millisOf(() => report(DAYS));
  });
  const block = await repeat(async () => {
    await forget();
    return longestTurn(() => report(DAYS));
  });
  await report(DAYS);
  let spread = ONE;
  const figures: Figure[] = [
    {
      name: `${NAME}, with stored daily totals: CPU time`,
      unit: "ms",
      runs: await repeat(() => millisOf(() => report(DAYS))),
      goal: "≤ 300",
    },
    {
      name: "the same with a new spread",
      unit: "ms",
      runs: await repeat(() => millisOf(() => report(DAYS, ++spread))),
      goal: "≤ 300",
    },
    { name: "the first such report, from 89,280 minutes", unit: "ms", runs: first },
    { name: "longest wait of other requests meanwhile", unit: "ms", runs: block, goal: "≤ 50" },
  ];
  await copyDays(context, today);
  figures.push(
    {
      name: "the same over a year, with stored daily totals: CPU time",
      unit: "ms",
      runs: await repeat(() => millisOf(() => report(YEAR))),
      goal: "≤ 300",
    },
    {
      name: "longest wait of other requests meanwhile",
      unit: "ms",
      runs: await repeat(() => longestTurn(() => report(YEAR))),
      goal: "≤ 50",
    },
    {
      name: `memory after ${REPORTS} more such reports, relative to before`,
      unit: "×",
      runs: await heapAfter(() => report(YEAR)),
      goal: "≤ 1.05",
    },
  );
  context.client.close();
  rmSync(folder, { recursive: true, force: true });
  return figures;
}

const NAME = `a liquidity report over ${DAYS} days`;

/** Every minute of some days, each with figures of its own; `to` is excluded. */
export async function keepMinutes(
  context: Context,
  days: { readonly first: number; readonly to: number },
): Promise<void> {
  const AT_ONCE = 360;
  for (let first = days.first * MINUTES_PER_DAY; first < days.to * MINUTES_PER_DAY; first += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, place) => minuteRow(first + place));
    await context.client.execute(statement(context.db.insert(liquidityMinutes).values(rows)));
  }
}

function minuteRow(minute: number): typeof liquidityMinutes.$inferInsert {
  let drawn = 0;
  const upTo = (most: number): Decimal =>
    (BigInt(Math.floor(pseudorandomShare(hashText(`${minute}`), drawn++) * 2 ** 48)) * BigInt(most) * ONE) /
    2n ** 48n;
  const side = () => [upTo(1000), upTo(10_000), upTo(100_000)] as const;
  return {
    ...PAIR,
    minute,
    samples: 1,
    ownBids: 3,
    ownAsks: 3,
    sources: 3,
    isCutShort: false,
    absence: null,
    offer: { parts: [{ spread: upTo(1), levels: 3, millis: 50_000 }], uncertain: 500 },
    spread: upTo(1),
    ownSpread: upTo(1),
    deviation: upTo(1),
    ownDepth: { bids: side(), asks: side() },
    depth: { bids: side(), asks: side() },
  };
}

/** The same days again and again, back to a year ago. */
async function copyDays({ client }: Context, today: number): Promise<void> {
  for (let back = DAYS; back < YEAR; back += DAYS)
    await client.execute(
      `insert or ignore into liquidity_days select exchange, symbol, day - ${back}, version, sums, hash from liquidity_days where day >= ${today - DAYS}`,
    );
}

export async function millisOf(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Of the event loop, in milliseconds, while something runs. */
export async function longestTurn(run: () => Promise<unknown>): Promise<number> {
  let [isOver, most] = [false, 0];
  const watch = async () => {
    for (let last = performance.now(); !isOver; ) {
      await setImmediate();
      const now = performance.now();
      most = Math.max(most, now - last);
      last = now;
    }
  };
  const watching = watch();
  await run();
  isOver = true;
  await watching;
  return most;
}

async function heapAfter(run: () => Promise<unknown>): Promise<number[]> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heap = async () => {
    collect();
    await setImmediate();
    collect();
    return process.memoryUsage().heapUsed;
  };
  for (let warm = 0; warm < RUNS; warm++) await run();
  const before = await heap();
  for (let one = 0; one < REPORTS; one++) await run();
  return [(await heap()) / before];
}
