import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sql } from "drizzle-orm";
import { runRound } from "../../src/engine/pass/round.ts";
import { asGrid } from "../../src/grid/state/state.ts";
import { decimal, text } from "../../src/kernel/decimal.ts";
import { StoreError, VenueError } from "../../src/kernel/errors.ts";
import { DAY, HOUR, MINUTE } from "../../src/kernel/time.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Store } from "../../src/ports/stores/store.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { statement } from "../../src/storage/client/context.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { createRandom, type Random } from "./random.ts";
import type { Figures, How } from "./tiers.ts";

const CHANCE = 0.01;
/** Tables that may have more rows at a week's end than at its beginning; every order is one row for good. */
/** With what happens; of what an account has used of its limits there is a row a day and asset. */
const GROWING = new Set([
  "fills",
  "events",
  "orders",
  "venue_orders",
  "venue_fills",
  "fill_mids",
  "limit_uses",
]);

class Crash extends Error {}

/** A week of market time on libSQL, a pass every two minutes, with calls that fail before or after their effect, and crashes. */
export async function weekTier({ report: output }: How): Promise<Figures[]> {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-week-"));
  const file = join(folder, "week.db");
  const { deps, store, time, context, venue } = await testSandbox({ url: `file:${file}` });
  const random = createRandom(7);
  const grid = { exchange: "kraken", gridLevels: 20, orderSize: decimal("200") };
  for (const [symbol, lower, upper] of [
    ["BTC/USDT", "55000", "65000"],
    ["ETH/USDT", "2700", "3300"],
  ])
    await runOperation(deps, "start_grid", {
      ...grid,
      symbol,
      lowerPrice: decimal(lower as string),
      upperPrice: decimal(upper as string),
    });

  const heap: { readonly day: number; readonly bytes: number }[] = [];
  const rows: Record<string, number>[] = [];
  const first = time.now();
  let [passes, faults] = [0, 0];
  while (time.now() - first < 7 * DAY) {
    time.pass(2 * MINUTE);
    const broken = breaking(deps, random, () => faults++);
    // A tick that cannot even read what is due does nothing.
    for (const { outcome } of await runRound(broken).catch(() => []))
      if (outcome === "stepped" || outcome === "short") passes++;
    if (Math.floor((time.now() - first) / MINUTE) % ((6 * HOUR) / MINUTE) !== 0) continue;
    heap.push({ day: (time.now() - first) / DAY, bytes: heapAfterCollection() });
    rows.push(await countRows(context));
    output?.(`week: day ${heap.at(-1)?.day.toFixed(2)}`);
  }
  const calm = async () => {
    for (let left = 10; left > 0; left--) {
      time.pass(MINUTE);
      await runRound(deps);
    }
  };
  await calm();
  const failed = await wrongs(store, venue("kraken"));
  const [early, late] = [rows[3] as Record<string, number>, rows.at(-1) as Record<string, number>];
  for (const [table, count] of Object.entries(late))
    if (!GROWING.has(table) && count > (early[table] ?? 0))
      failed.push(`${table} grew from ${early[table]} to ${count} rows`);
  // The first day warms up.
  const slope = slopeOf(heap.filter(({ day }) => day > 1));
  if (slope > 256 * 1024) failed.push(`memory grows by ${Math.round(slope)} bytes a day`);
  const grown = [...GROWING].map((table) => `${table} ${late[table] ?? 0}`).join(", ");
  const size = statSync(file).size;
  context.client.close();
  rmSync(folder, { recursive: true });
  return [
    {
      title: "week",
      text: `${passes} passes, ${faults} faults; heap ${Math.round((heap.at(-1)?.bytes ?? 0) / 1024)} KiB, slope ${Math.round(slope / 1024)} KiB a day; database ${Math.round(size / 1024)} KiB; rows: ${grown}; other tables did not grow`,
      failed: failed.map((what) => ({ run: "--week", what })),
    },
  ];
}

/** What a process knows by itself: no line to it can fail. */
const ANSWERS_AT_ONCE: ReadonlySet<string | symbol> = new Set(["knownKilled", "then"]);

/** The world of one process in one tick: some calls fail, and after a crash all of them do. */
function breaking(deps: Deps, random: Random, report: () => void): Deps {
  let isDead = false;
  const broken = <T extends object>(inner: T, failure: () => Error): T =>
    new Proxy(inner, {
      get(target, name) {
        const method = Reflect.get(target, name) as unknown;
        if (typeof method !== "function" || ANSWERS_AT_ONCE.has(name)) return method;
        return async (...args: unknown[]) => {
          if (isDead) throw new Crash("the process is dead");
          const isWrong = random.chance(CHANCE);
          const isLate = isWrong && random.chance(0.5);
          if (isWrong) {
            report();
            isDead = random.chance(0.3);
          }
          if (isWrong && !isLate) throw isDead ? new Crash("crashed") : failure();
          const answer = await (method as (...all: unknown[]) => Promise<unknown>).apply(target, args);
          if (!isWrong) return answer;
          if (isDead) throw new Crash("crashed");
          if (name === "create" || name === "cancel") return { result: "unknown", reason: "no answer" };
          throw failure();
        };
      },
    });
  const silence = () => new VenueError("unavailable", "the venue did not answer");
  return {
    ...deps,
    store: broken<Store>(deps.store, () => new StoreError("unavailable", "the database did not answer")),
    venueOf: (account) => {
      const found = deps.venueOf(account);
      return found && broken<Venue>(found, silence);
    },
  };
}

async function countRows({ client }: Awaited<ReturnType<typeof testSandbox>>["context"]) {
  const tables = await client.execute(
    statement(sql`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`),
  );
  const counts: Record<string, number> = {};
  for (const [name] of tables.rows.map((row) => [String(row[0])])) {
    const result = await client.execute(`select count(*) from ${name}`);
    counts[name as string] = Number(result.rows[0]?.[0]);
  }
  return counts;
}

/** What is wrong at the end: grids that do not run, and a ledger that is not the account. */
async function wrongs(store: Store, kraken: Venue): Promise<string[]> {
  const views = await store.strategies({});
  const found = views
    .filter(({ strategy }) => strategy.status !== "running")
    .map(({ strategy }) => `${strategy.id} is ${strategy.status}: ${strategy.lastError}`);
  const quote = views.reduce((sum, { strategy }) => sum + asGrid(strategy).state.ledger.quote, 0n);
  const usdt = (await kraken.balances()).find(({ asset }) => asset === "USDT");
  const baseline = views[0]?.memory.baseline?.USDT ?? 0n;
  const change = (usdt?.free ?? 0n) + (usdt?.used ?? 0n) - baseline;
  if (change !== quote) found.push(`USDT changed by ${text(change)} and the ledgers say ${text(quote)}`);
  return found;
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heapAfterCollection(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Least squares, in bytes a day. */
function slopeOf(points: readonly { readonly day: number; readonly bytes: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(({ day }) => day)), mean(points.map(({ bytes }) => bytes))];
  const above = points.reduce((sum, { day, bytes }) => sum + (day - x) * (bytes - y), 0);
  return above / points.reduce((sum, { day }) => sum + (day - x) ** 2, 0);
}
