import { beforeAll, describe, expect, it } from "vitest";
import { READ_MEASURED, READ_SPREADS } from "../../src/adapters/libsql/history-store.ts";
import { horizonMidUpdate, midStatements } from "../../src/adapters/libsql/pass-store.ts";
import { runPass } from "../../src/engine/pass/pass.ts";
import type { Decimal } from "../../src/kernel/decimal.ts";
import { midOf } from "../../src/kernel/spread.ts";
import { MINUTE, type Millis, SECOND } from "../../src/kernel/time.ts";
import { type Fill, HORIZONS, type MeasuredFill } from "../../src/model/order.ts";
import { type Statement, statement } from "../../src/storage/client/context.ts";
import { d } from "../support/grid.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";

const GRID = {
  exchange: "kraken",
  symbol: "BTC/USDT" as const,
  lowerPrice: d("59500"),
  upperPrice: d("60500"),
  gridLevels: 100,
  orderSize: d("50"),
};

interface Price {
  readonly at: Millis;
  readonly mid: Decimal;
}

/** Runs passes for over an hour, some of them late; returns what they read, and the fills that they booked. */
async function measuredHour() {
  const box = await testSandbox({ speed: 1 });
  const { id } = await runOperation<{ id: string }>(box.deps, "start_grid", GRID);
  const venue = box.venue("kraken");
  const prices: Price[] = [];
  const pass = async (wait: Millis) => {
    box.time.pass(wait);
    const quote = await venue.ticker(GRID.symbol);
    prices.push({ at: quote.at, mid: midOf(quote) });
    expect(await runPass(box.deps, venue)).toMatchObject({ outcome: "stepped" });
  };
  for (let passes = 0; passes < 60; passes++) await pass(SECOND);
  await pass(40 * SECOND);
  for (let passes = 0; passes < 120; passes++) await pass(5 * SECOND);
  for (let passes = 0; passes < 62; passes++) await pass(MINUTE);
  const fills = await box.store.measuredFillsOf(id, { limit: 1000 });
  return { ...box, prices, fills, booked: await box.store.fillsOf(id, { limit: 1000 }) };
}

/** The last price at or before a time, at most 10 s before it. */
const lastBefore = (prices: readonly Price[], at: Millis): Price | undefined =>
  prices.findLast((price) => price.at <= at && at - price.at <= 10 * SECOND);

describe("mids of fills", () => {
  let hour: Awaited<ReturnType<typeof measuredHour>>;
  let first: readonly MeasuredFill[];
  beforeAll(async () => {
    hour = await measuredHour();
    // The fills of the first hour have all their horizons behind them.
    first = hour.fills.filter(({ at }) => at < (hour.prices.at(-1)?.at ?? 0) - 62 * MINUTE);
  });
  const firstBooked = () => {
    const [{ tradeId, mid }] = first as [MeasuredFill];
    return { ...(hour.booked.find((fill) => fill.tradeId === tradeId) as Fill), mid };
  };

  it("are the last price read before each fill, and null if it is too old", () => {
    const known = hour.fills.filter(({ mid }) => mid !== null);
    expect(known.length).toBeGreaterThan(10);
    expect(known.length).toBeLessThan(hour.fills.length);
    for (const { at, mid } of hour.fills) expect(mid).toBe(lastBefore(hour.prices, at)?.mid ?? null);
  });

  it.each(HORIZONS)(
    "are the first price read $after ms after each fill, and null without one in time",
    ({ name, after, late }) => {
      expect(first.length).toBeGreaterThan(10);
      const due = (at: Millis) =>
        hour.prices.find((price) => price.at >= at + after && price.at <= at + after + late)?.mid ?? null;
      expect(first.map((fill) => fill[name])).toEqual(first.map(({ at }) => due(at)));
      expect(first.some((fill) => fill[name] !== null)).toBe(true);
    },
  );

  it("are written and read along keys, whatever else is stored", async () => {
    const plan = async ({ sql, args }: Statement) => {
      const { rows } = await hour.context.client.execute({ sql: `explain query plan ${sql}`, args });
      return rows.map((row) => String(row[3]));
    };
    const mid = { symbol: GRID.symbol, name: "mid10s", mid: d("1"), from: 1, to: 2 } as const;
    expect(await plan(statement(horizonMidUpdate(hour.context, "sandbox:kraken:", mid)))).toEqual([
      "SEARCH fill_mids USING INDEX sqlite_autoindex_fill_mids_1 (account=? AND symbol=? AND at>? AND at<?)",
    ]);
    const page = { strategy: "one", limit: 10, at: 5, id: "x" };
    for (const read of [READ_MEASURED, READ_SPREADS]) {
      const steps = (await plan(read.with(page))).filter((text) => text.startsWith("SEARCH"));
      expect(steps).toEqual([
        "SEARCH fills USING INDEX fills_of_strategy (strategy=? AND at<?)",
        "SEARCH fill_mids USING INDEX sqlite_autoindex_fill_mids_1 (account=? AND symbol=? AND at=? AND trade_id=?) LEFT-JOIN",
      ]);
    }
  });

  it("are stored once, also if a pass books a fill again whose row was refused before", async () => {
    const fill = firstBooked();
    for (const made of midStatements(hour.context, fill.account, { atFills: [fill], later: [] }))
      await hour.context.client.execute(made);
  });

  it("are stored for as many fills as a pass can book after a long break", async () => {
    const fill = firstBooked();
    const many = Array.from({ length: 4000 }, (_, index) => ({ ...fill, tradeId: `many ${index}` }));
    for (const made of midStatements(hour.context, fill.account, { atFills: many, later: [] }))
      await hour.context.client.execute(made);
    const { rows } = await hour.context.client.execute(
      "select count(*) from fill_mids where trade_id like 'many %'",
    );
    expect(Number(rows[0]?.[0])).toBe(4000);
  });

  it("are deleted after thirteen months", async () => {
    const count = async () =>
      Number((await hour.context.client.execute("select count(*) from fill_mids")).rows[0]?.[0]);
    const before = await count();
    const newest = firstBooked();
    const fill = { ...newest, tradeId: "later", at: newest.at + 397 * 24 * 60 * MINUTE };
    for (const made of midStatements(hour.context, fill.account, { atFills: [fill], later: [] }))
      await hour.context.client.execute(made);
    expect(before).toBeGreaterThan(10);
    expect(await count()).toBe(1);
  });
});
