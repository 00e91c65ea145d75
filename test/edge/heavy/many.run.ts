import type { Miniflare } from "miniflare";
import { afterAll, describe, expect, it } from "vitest";
import { asGrid } from "../../../src/grid/state/state.ts";
import type { VenueName } from "../../../src/model/market.ts";
import { deployment, strangers } from "../../support/deployment.ts";
import { fireCron } from "../../support/edge-live.ts";
import { withinOneDay } from "../../support/one-day.ts";
import { eventually } from "../../support/server.ts";

const MINUTE = 60_000;
const LATENCY = 80;
/** Turns of many accounts, one after the other, take a minute where nothing else runs. */
const PATIENCE = 900_000;
const MARKETS = [
  { symbol: "BTC/USDT", mid: 60_000, moved: "61500" },
  { symbol: "ETH/USDT", mid: 3000, moved: "3075" },
] as const;

interface Size {
  readonly accounts: number;
  /** Strategies of each account, half on each of two pairs. */
  readonly strategies: number;
  readonly levels: number;
  /** So many turns at once, each of another worker: an emulated queue gives out one at a time. */
  readonly workers: number;
}

const SIZES: readonly Size[] = process.env.SCALE
  ? [
      { accounts: 50, strategies: 20, levels: 2, workers: 1 },
      { accounts: 100, strategies: 20, levels: 2, workers: 4 },
    ]
  : [{ accounts: 20, strategies: 10, levels: 4, workers: 1 }];

const lines: string[] = [];
afterAll(() => process.stdout.write(`\n${lines.join("\n")}\n\n`));

describe.each(SIZES)(
  "$accounts accounts with $strategies strategies each",
  ({ accounts, strategies, levels, workers }) => {
    it("are stepped by one cron through the queue, and every slot is right afterwards", async () => {
      // What passes cost is counted by days.
      await withinOneDay(1_000_000);
      const edge = await deployment(Math.ceil(accounts / 4), { most: accounts });
      const started = await edge.startShares(workers);
      try {
        const venues = [...new Set(edge.accounts.ids.map(({ venue }) => venue))];
        const calls = () => venues.reduce((sum, venue) => sum + edge.accounts.venues[venue].count(), 0);
        const waiting = [...edge.accounts.ids];
        const starter = async () => {
          for (let next = waiting.pop(); next; next = waiting.pop())
            for (let number = 0; number < strategies; number++)
              await edge.startHere(gridOf(next.id, number, levels));
        };
        await Promise.all([starter(), starter(), starter(), starter()]);

        let minute = Date.UTC(2026, 0, 1);
        const setLatency = (millis: number) => {
          for (const venue of venues) edge.accounts.venues[venue].latency.before = millis;
        };
        const cron = async (name: string) => {
          for (const venue of venues) edge.accounts.venues[venue].resetCounts();
          const before = await rows(edge.database.deps.store);
          const from = edge.turns.length;
          minute += MINUTE;
          await edge.rested();
          const startedAt = performance.now();
          await Promise.all(started.map((worker) => fireCron(worker, minute)));
          const turns = await edge.turnsEnded(from, accounts, PATIENCE);
          const seconds = (performance.now() - startedAt) / 1000;
          const requests = turns.map((turn) => turn.requests);
          const figures = {
            seconds,
            exchange: calls() / accounts,
            database: requests.reduce((sum, one) => sum + one, 0) / accounts - calls() / accounts,
            most: Math.max(...requests),
          };
          const after = await rows(edge.database.deps.store);
          lines.push(
            `${accounts * strategies} strategies on ${accounts} accounts, ${name}: ${seconds.toFixed(1)} s, ${workers} at once, ` +
              `${((seconds * workers) / accounts).toFixed(2)} s an account; at most ${figures.most} subrequests an invocation; ` +
              `${figures.exchange.toFixed(1)} exchange calls and ${figures.database.toFixed(1)} database requests an account and tick, ` +
              `${((after.read - before.read) / accounts).toFixed(0)} rows read and ${((after.written - before.written) / accounts).toFixed(1)} written`,
          );
          return { turns, ...figures };
        };

        /** What an invocation's requests, or its exchange's counter, did not suffice for is a later minute's. */
        const untilRight = (name: string) =>
          eventually(
            async () => {
              const wrong = await edge.wrongSlots();
              if (wrong.length > 0) await cron(name);
              return wrong;
            },
            (wrong) => wrong.length === 0,
            PATIENCE,
          );
        setLatency(LATENCY);
        await cron("first minute");
        await untilRight("a minute after the starts");
        const steady = await cron("a steady minute");
        expect(steady.turns.every(({ outcome }) => outcome === "stepped")).toBe(true);
        expect(new Set(steady.turns.map(({ account }) => account)).size).toBe(accounts);
        expect(steady.exchange).toBeLessThanOrEqual(6);
        expect(steady.database).toBeLessThanOrEqual(6);
        expect(await edge.listed(started[0] as Miniflare)).toBe(accounts * strategies);

        for (const { symbol, moved } of MARKETS)
          for (const venue of venues as VenueName[]) edge.accounts.venues[venue].move(symbol, moved);
        await cron("a minute in which prices have moved by 2.5 %");
        await untilRight("a minute after");
        expect(await strangers(edge.accounts, edge.database.deps.store)).toEqual({ twice: [], orphans: [] });
        const filled = await edge.database.deps.store.strategies({});
        expect(
          filled.reduce((sum, { strategy }) => sum + asGrid(strategy).state.ledger.filledOrders, 0),
        ).toBeGreaterThan(accounts);
      } finally {
        await Promise.all(started.map((worker) => worker.dispose()));
        await edge.close();
      }
    });
  },
);

/** As counted by the passes themselves. */
async function rows(store: Awaited<ReturnType<typeof deployment>>["database"]["deps"]["store"]) {
  const sums = { read: 0, written: 0 };
  for (const { costs, strategy } of await store.strategies({})) {
    const cost = costs[0]?.of[strategy.id];
    sums.read += cost?.rowsRead ?? 0;
    sums.written += cost?.rowsWritten ?? 0;
  }
  return sums;
}

/** Grids around the mid, each shifted a little, so that no two have a level in common. */
function gridOf(exchange: string, number: number, gridLevels: number) {
  const { symbol, mid } = MARKETS[number % 2] as (typeof MARKETS)[number];
  const shift = 1 + Math.floor(number / 2) * 0.0003;
  const [lowerPrice, upperPrice] = [mid * 0.98 * shift, mid * 1.02 * shift].map((price) =>
    Number(price.toFixed(1)),
  );
  return { exchange, symbol, lowerPrice, upperPrice, gridLevels, orderSize: 60 };
}
