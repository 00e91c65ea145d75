import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { moveYear } from "../../src/adapters/libsql/archive.ts";
import { offerUpdate } from "../../src/adapters/libsql/pass-store.ts";
import { type Decimal, ONE, sum, text, wire } from "../../src/kernel/decimal.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import type { LiquidityReport } from "../../src/liquidity/agreement-page.tsx";
import { sampleLiquidity } from "../../src/liquidity/operations/sample.ts";
import { createLiquidityStore, type LiquidityDeps } from "../../src/liquidity/store/store.ts";
import { dateOf } from "../../src/model/limits.ts";
import type { LiquidityPromise } from "../../src/model/samples/promise.ts";
import {
  ABSENCES,
  type Depths,
  type LiquidityMinute,
  MINUTES_PER_DAY,
  type MissedMinute,
  type Sides,
} from "../../src/model/samples/sample.ts";
import type { SafeClient } from "../../src/storage/client/call-queue.ts";
import { statement } from "../../src/storage/client/context.ts";
import { liquidityMinutes } from "../../src/storage/tables/liquidity-tables.ts";
import { appOver } from "../support/app.ts";
import { d } from "../support/grid.ts";
import { liquidityMinute, soleMarket } from "../support/liquidity-minute.ts";
import { runOperation, START, testSandbox } from "../support/sandbox.ts";

const PAIR = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const FIRST = START / DAY;
const minuteAt = (day: number, minute: number): number => (FIRST + day) * MINUTES_PER_DAY + minute;

/** A watched pair with these minutes, at some time of the day after the last of `days`. */
async function box({
  days = 1,
  promise,
  realTime = false,
}: {
  readonly days?: number;
  readonly promise?: LiquidityPromise;
  readonly realTime?: boolean;
} = {}) {
  const sandbox = await testSandbox({ realTime });
  const store = createLiquidityStore(sandbox.context);
  const deps: LiquidityDeps = { ...sandbox.deps, liquidity: { store, pairs: [{ ...PAIR, promise }] } };
  sandbox.time.pass(days * DAY + 90 * MINUTE);
  const report = (over: object = {}, by: Partial<LiquidityDeps> = {}) =>
    runOperation<LiquidityReport>({ ...deps, ...by }, "get_liquidity_report", {
      ...PAIR,
      from: dateOf(FIRST),
      to: dateOf(FIRST + days - 1),
      ...over,
    }).then(soleMarket);
  const { client } = sandbox.context;
  const daysStored = async () =>
    (await client.execute("select day from liquidity_days order by day")).rows.map(
      (row) => Number(row[0]) - FIRST,
    );
  return { ...sandbox, store, deps, report, daysStored };
}

async function keepAll(
  { store }: Pick<Awaited<ReturnType<typeof box>>, "store">,
  rows: readonly LiquidityMinute[],
): Promise<void> {
  for (const row of rows) await store.keep(PAIR, row);
}

/** Statements that read minutes, from now on. */
function minutesRead({ context }: Pick<Awaited<ReturnType<typeof box>>, "context">): string[] {
  const read: string[] = [];
  const client = context.client as { -readonly [name in keyof SafeClient]: SafeClient[name] };
  const { execute } = client;
  client.execute = (request, use) => {
    const { sql, args } = typeof request === "string" ? { sql: request, args: [] } : request;
    if (sql.includes("json_group_array") && sql.includes("liquidity_minutes")) read.push(String(args));
    return execute(request, use);
  };
  return read;
}

const AGREEMENT = { preset: "agreement", spreadPercent: d("2"), depth: d("500"), levels: 2 } as const;

describe("the totals of a finished day", () => {
  it("are stored by the first report and are all that the second one reads", async () => {
    const setup = await box({ days: 3 });
    await keepAll(
      setup,
      [0, 1, 2].flatMap((day) => [5, 700].map((at) => liquidityMinute({ minute: minuteAt(day, at) }))),
    );
    const first = await setup.report(AGREEMENT);
    expect(await setup.daysStored()).toEqual([0, 1, 2]);
    const read = minutesRead(setup);
    expect(await setup.report(AGREEMENT)).toEqual(first);
    expect(read).toEqual([]);
  });

  it("are not stored for an unfinished day or a day without samples", async () => {
    const setup = await box({ days: 2 });
    await keepAll(setup, [liquidityMinute({ minute: minuteAt(2, 3) })]);
    const upToNow = { to: dateOf(FIRST + 2) };
    expect((await setup.report(upToNow)).known).toBe(1);
    await keepAll(setup, [liquidityMinute({ minute: minuteAt(2, 4) })]);
    expect((await setup.report(upToNow)).known).toBe(2);
    expect(await setup.daysStored()).toEqual([]);
  });

  it("are not used for a day that is unfinished again because the clock was set back", async () => {
    const setup = await box();
    await keepAll(setup, [liquidityMinute({ minute: minuteAt(0, 5) })]);
    await setup.report();
    // From half past one of the next day to half past one of this one.
    setup.time.pass(-DAY);
    const { minutes, gaps } = await setup.report();
    expect([minutes, gaps.at(-1)?.to]).toEqual([90, START + 90 * MINUTE]);
  });

  it("are dropped for a sample or a missed sample that arrives late", async () => {
    const setup = await box();
    await keepAll(setup, [liquidityMinute({ minute: minuteAt(0, 5) })]);
    const before = await setup.report();
    await keepAll(setup, [liquidityMinute({ minute: minuteAt(0, 6), spread: d("0.03") })]);
    const after = await setup.report();
    expect([before.known, after.known]).toEqual([1, 2]);
    expect(after.market.spreadPercent).toBe(2);
    expect(after.hash).not.toBe(before.hash);
    const causes = async () => (await setup.report()).gaps.map(({ cause, minutes }) => [cause, minutes]);
    expect(await causes()).toEqual([
      ["unknown", 5],
      ["ours", MINUTES_PER_DAY - 7],
    ]);
    await setup.store.keepMiss(PAIR, { minute: minuteAt(0, 7), cause: "exchange" });
    expect(await causes()).toEqual([
      ["unknown", 5],
      ["exchange", 1],
      ["ours", MINUTES_PER_DAY - 8],
    ]);
  });

  it("are not stored if a sample has arrived since the day was read", async () => {
    const setup = await box();
    await keepAll(setup, [liquidityMinute({ minute: minuteAt(0, 5) })]);
    await setup.report();
    const read = await setup.store.days(PAIR, FIRST, FIRST);
    await keepAll(setup, [liquidityMinute({ minute: minuteAt(0, 6) })]);
    await setup.store.keepDays(PAIR, read);
    expect(await setup.daysStored()).toEqual([]);
    expect((await setup.report()).known).toBe(2);
    await setup.store.keepMiss(PAIR, { minute: minuteAt(0, 7), cause: "ours" });
    await setup.store.keepDays(PAIR, read);
    expect(await setup.daysStored()).toEqual([]);
  });

  it("are not stored if the times of own orders have arrived since the day was read", async () => {
    const setup = await box();
    const minute = minuteAt(0, 5);
    await keepAll(setup, [liquidityMinute({ minute })]);
    await setup.report();
    const read = await setup.store.days(PAIR, FIRST, FIRST);
    const offer = { parts: [{ spread: d("0.01"), levels: 2, millis: MINUTE / 4 }], uncertain: 0 };
    const { symbol, exchange } = PAIR;
    await setup.context.client.execute(offerUpdate(setup.context, exchange, { symbol, minute, offer }));
    await setup.store.keepDays(PAIR, read);
    expect(await setup.daysStored()).toEqual([]);
    expect((await setup.report()).own.twoSidedPercent).toBe(25);
  });

  it("are not combined with minutes that have arrived since they were read", async () => {
    const setup = await box();
    await keepAll(setup, [liquidityMinute({ minute: minuteAt(0, 5) })]);
    await setup.report();
    const days: typeof setup.store.days = async (...calls) => {
      const read = await setup.store.days(...calls);
      await keepAll(setup, [liquidityMinute({ minute: minuteAt(0, 6) })]);
      return read;
    };
    const liquidity = { store: { ...setup.store, days }, pairs: [PAIR] };
    const result = await setup.report(AGREEMENT, { liquidity });
    expect([result.known, result.findings[0]?.value]).toEqual([2, 100]);
  });

  it("are deleted with their minutes", async () => {
    const setup = await box({ days: 3 });
    await keepAll(
      setup,
      [0, 2].map((day) => liquidityMinute({ minute: minuteAt(day, 5) })),
    );
    await setup.store.keepMiss(PAIR, { minute: minuteAt(1, 5), cause: "exchange" });
    await setup.report(AGREEMENT);
    expect(await setup.daysStored()).toEqual([0, 1, 2]);
    const archive = await testSandbox();
    const year = { year: 2026, file: "trade-2026.db", client: archive.context.client };
    await moveYear(setup.context, year, (FIRST + 2) * DAY);
    expect(await setup.daysStored()).toEqual([2]);
    const after = await setup.report(AGREEMENT);
    expect(after.days.map(({ known }) => known)).toEqual([0, 0, 1]);
    expect(after.gaps[0]).toMatchObject({ minutes: 2 * MINUTES_PER_DAY + 5, cause: "unknown" });
  });

  it("follow the requested rule, whatever rule was stored before", async () => {
    const setup = await box();
    const spreads = ["0.01", "0.02", "0.03"].map(d);
    const rows = spreads.map((ownSpread, at) => liquidityMinute({ minute: minuteAt(0, at), ownSpread }));
    await keepAll(setup, rows);
    const upBy = async (over: object) => (await setup.report(over)).findings[0]?.value;
    const share = (count: number) => wire((100n * (BigInt(count) * ONE)) / 3n);
    const rules = [
      ...spreads.map(
        (spread, count) => [{ preset: "agreement", spreadPercent: 100n * spread }, share(count + 1)] as const,
      ),
      [{ preset: "agreement", spreadPercent: d("3"), levels: 3 }, 0],
      // Strictly narrower, and strictly deeper.
      ...spreads.map(
        (spread, count) =>
          [{ preset: "gate-score", spreadPercent: 100n * spread, depth: d("1") }, share(count)] as const,
      ),
      [{ preset: "gate-score", spreadPercent: d("4"), depth: d("1000") }, 0],
      [{ preset: "gate-score", spreadPercent: d("4"), depth: d("999") }, 100],
      [{ preset: "gate-score", spreadPercent: d("4"), depth: d("1"), band: "1" }, 0],
      [{ preset: "gate-score", spreadPercent: d("4"), depth: d("1"), band: "2" }, 100],
    ] as const;
    // More of them than are stored, there and back.
    for (const [over, value] of [...rules, ...rules.toReversed()])
      expect([over, await upBy(over)]).toEqual([over, value]);
    const read = minutesRead(setup);
    for (const [over, value] of rules.slice(0, 2)) expect(await upBy(over)).toBe(value);
    expect(read).toEqual([]);
    const stored = "select count(*) from liquidity_days, json_each(liquidity_days.sums, '$.up')";
    expect((await setup.context.client.execute(stored)).rows[0]?.[0]).toBe(8);
  });

  it("are rebuilt where another version stored them", async () => {
    const setup = await box();
    await keepAll(setup, [liquidityMinute({ minute: minuteAt(0, 5) })]);
    const before = await setup.report();
    const { client } = setup.context;
    await client.execute("update liquidity_days set version = 0, sums = '{}'");
    expect(await setup.report()).toEqual(before);
    expect((await client.execute("select version from liquidity_days")).rows[0]?.version).toBe(4);
  });

  it("are stored soon after midnight, by the rule in the settings", async () => {
    const promise = { preset: "agreement", request: { spread: d("0.5"), levels: 1 } } as const;
    const setup = await box({ days: 0, promise });
    for (let minute = 0; minute < 3; minute++) {
      await sampleLiquidity(setup.deps);
      setup.time.pass(MINUTE);
    }
    expect(await setup.daysStored()).toEqual([]);
    setup.time.pass(DAY - 90 * MINUTE);
    await sampleLiquidity(setup.deps);
    expect(await setup.daysStored()).toEqual([0]);
    // One that came late takes them away for a minute.
    await keepAll(setup, [liquidityMinute({ minute: minuteAt(0, 600) })]);
    expect(await setup.daysStored()).toEqual([]);
    setup.time.pass(MINUTE);
    await sampleLiquidity(setup.deps);
    const read = minutesRead(setup);
    const result = await setup.report({ to: dateOf(FIRST) });
    expect([result.known, result.findings[0]?.value, read]).toEqual([4, 25, []]);
  });
});

describe("a report over many days", () => {
  it("reads a quarter of a day per turn of the event loop, so other requests are answered meanwhile", async () => {
    const DAYS = 8;
    const setup = await box({ realTime: true });
    const today = Math.floor(Date.now() / DAY);
    const { client, db } = setup.context;
    for (let day = today - DAYS; day < today; day++) {
      const { ownOrders: _orders, ...row } = liquidityMinute();
      const rows = Array.from({ length: MINUTES_PER_DAY }, (_, at) => ({
        ...PAIR,
        ...row,
        sources: 0,
        ownBids: 2,
        ownAsks: 2,
        minute: day * MINUTES_PER_DAY + at,
      }));
      for (let at = 0; at < rows.length; at += 720)
        await client.execute(statement(db.insert(liquidityMinutes).values(rows.slice(at, at + 720))));
    }
    const rowsOfTurns: number[] = [0];
    const rowsOfReads: number[] = [];
    const minutes: typeof setup.store.minutes = async (...calls) => {
      const rows = await setup.store.minutes(...calls);
      rowsOfReads.push(rows.length);
      rowsOfTurns.push((rowsOfTurns.pop() ?? 0) + rows.length);
      return rows;
    };
    const liquidity = { store: { ...setup.store, minutes }, pairs: [PAIR] };
    const { ask } = await appOver(setup.deps);
    let [isOver, answered] = [false, 0];
    const others = async () => {
      while (!isOver) {
        await setImmediate();
        rowsOfTurns.push(0);
        void ask("/health").then(({ status }) => {
          if (status === 200 && !isOver) answered++;
        });
      }
    };
    const asking = others();
    const { known } = await setup.report(
      { from: dateOf(today - DAYS), to: dateOf(today - 1) },
      { liquidity },
    );
    isOver = true;
    await asking;
    expect(known).toBe(DAYS * MINUTES_PER_DAY);
    expect(Math.max(...rowsOfReads)).toBe(MINUTES_PER_DAY / 4);
    // Two of the reads can be between two counts, but never a whole day.
    expect(Math.max(...rowsOfTurns)).toBeLessThanOrEqual(MINUTES_PER_DAY / 2);
    expect(answered).toBeGreaterThan(0);
  });

  it("continues where the platform's request limit interrupted it", async () => {
    const setup = await box({ days: 12 });
    await keepAll(
      setup,
      Array.from({ length: 12 }, (_, day) => liquidityMinute({ minute: minuteAt(day, 5) })),
    );
    let left = 0;
    const minutes: typeof setup.store.minutes = (...calls) => {
      left--;
      return setup.store.minutes(...calls);
    };
    const liquidity = { store: { ...setup.store, minutes }, pairs: [PAIR] };
    const attempt = () => {
      left = 9;
      return setup.report({}, { liquidity, requests: () => left });
    };
    for (const stored of [5, 10]) {
      await expect(attempt()).rejects.toThrow(/repeat the request/);
      expect(await setup.daysStored()).toHaveLength(stored);
    }
    expect((await attempt()).known).toBe(12);
  });

  it("stores nothing for a pair that is not watched", async () => {
    const setup = await box();
    await expect(setup.report({ symbol: "ETH/USDT" })).rejects.toThrow(/is not sampled/);
    expect(await setup.daysStored()).toEqual([]);
  });
});

/** By 18 digits, so that a mean has to be rounded. */
const amount = fc.bigInt({ min: 1n, max: 10n ** 24n });
const share = fc.option(fc.bigInt({ min: 1n, max: 5n * 10n ** 16n }));
const three = fc.tuple(amount, amount, amount);
const sides = <T>(each: fc.Arbitrary<T>) => fc.tuple(each, each).map(([bids, asks]) => ({ bids, asks }));
const depth = fc.option(sides(three));
const known = fc.record({
  samples: fc.integer({ min: 1, max: 9 }),
  spread: share,
  ownSpread: share,
  deviation: share,
  ownOrders: sides(fc.integer({ min: 0, max: 3 })),
  ownDepth: depth,
  depth,
  isCutShort: fc.boolean(),
  sources: fc.option(fc.integer({ min: 0, max: 4 })),
  absence: fc.option(fc.constantFrom(...ABSENCES)),
});
const DAYS = 3;
/** Around midnights and quarters of a day, where parts meet. */
const place = fc
  .tuple(fc.integer({ min: 0, max: 4 * DAYS }), fc.integer({ min: -3, max: 3 }))
  .map(([quarter, off]) => minuteAt(0, 0) + quarter * 360 + off)
  .filter((minute) => minute >= minuteAt(0, 0) && minute < minuteAt(DAYS, 0));

/** Every figure from all minutes in one go, by its definition. */
function figuresOf(rows: readonly LiquidityMinute[], misses: readonly MissedMinute[]) {
  const mean = (values: readonly (Decimal | null)[]) => {
    const some = values.filter((value) => value !== null);
    return some.length === 0 ? null : sum(some) / BigInt(some.length);
  };
  const percent = (value: Decimal | null) => (value === null ? null : wire(100n * value));
  const offer = (spreads: readonly (Decimal | null)[], depths: readonly (Sides<Depths> | null)[]) => {
    const both = spreads.filter((spread) => spread !== null).length;
    const band = (side: "bids" | "asks", at: 0 | 1 | 2) =>
      text(mean(depths.map((one) => one?.[side][at] ?? null)) ?? 0n);
    const side = (of: "bids" | "asks") => ({ "0.5": band(of, 0), "1": band(of, 1), "2": band(of, 2) });
    return {
      spreadPercent: percent(mean(spreads)),
      twoSidedPercent: rows.length === 0 ? null : percent((BigInt(both) * ONE) / BigInt(rows.length)),
      depth: depths.every((one) => one === null) ? null : { bids: side("bids"), asks: side("asks") },
    };
  };
  const sources = rows.flatMap((row) => row.sources ?? []);
  const up = rows.filter(
    ({ ownSpread, ownOrders: { bids, asks } }) =>
      ownSpread !== null && ownSpread <= d("0.02") && Math.min(bids, asks) >= 2,
  );
  return {
    known: rows.length,
    samples: rows.reduce((all, { samples }) => all + samples, 0),
    cutShort: rows.filter(({ isCutShort }) => isCutShort).length,
    sources: sources.length === 0 ? null : sources.reduce((a, b) => a + b, 0) / sources.length,
    unknownSources: rows.length - sources.length,
    deviationPercent: percent(mean(rows.map(({ deviation }) => deviation))),
    own: offer(
      rows.map(({ ownSpread }) => ownSpread),
      rows.map(({ ownDepth }) => ownDepth),
    ),
    market: offer(
      rows.map(({ spread }) => spread),
      rows.map((row) => row.depth),
    ),
    up: rows.length === 0 ? null : percent((BigInt(up.length) * ONE) / BigInt(rows.length)),
    gaps: gapsOf(rows, misses),
  };
}

function gapsOf(rows: readonly LiquidityMinute[], misses: readonly MissedMinute[]) {
  const first = Math.min(...rows.map(({ minute }) => minute));
  const isOffering = rows.some(({ ownOrders: { bids, asks } }) => bids + asks > 0);
  const gaps: { from: number; to: number; what: string; cause: string }[] = [];
  for (let minute = minuteAt(0, 0); minute < minuteAt(DAYS, 0); minute++) {
    const row = rows.find((one) => one.minute === minute);
    const miss = misses.find((one) => one.minute === minute);
    if (row && (!isOffering || (row.ownOrders.bids > 0 && row.ownOrders.asks > 0))) continue;
    const [what, cause] = row
      ? ["absent", row.absence ?? "unknown"]
      : ["unseen", miss?.cause ?? (minute < first ? "unknown" : "ours")];
    const last = gaps.at(-1);
    if (last && last.to === minute && last.what === what && last.cause === cause) last.to++;
    else gaps.push({ from: minute, to: minute + 1, what, cause });
  }
  return gaps.map(({ from, to, ...gap }) => ({
    from: from * MINUTE,
    to: to * MINUTE,
    minutes: to - from,
    ...gap,
  }));
}

it("a report has the same figures for all minutes whether or not its days are totaled before", async () => {
  const minutes = fc.uniqueArray(fc.tuple(place, known), {
    minLength: 1,
    maxLength: 30,
    selector: ([at]) => at,
  });
  const missed = fc.uniqueArray(fc.tuple(place, fc.constantFrom(...ABSENCES)), {
    maxLength: 8,
    selector: ([at]) => at,
  });
  await fc.assert(
    fc.asyncProperty(minutes, missed, async (some, without) => {
      const setup = await box({ days: DAYS });
      const rows = some.map(([minute, row]): LiquidityMinute => ({ minute, ...row, offer: null }));
      const misses = without.map(([minute, cause]) => ({ minute, cause }));
      await keepAll(setup, rows);
      for (const miss of misses) await setup.store.keepMiss(PAIR, miss);
      const { up, gaps, ...figures } = figuresOf(rows, misses);
      // There is no strategy, so nobody has paused one.
      const expected = {
        ...figures,
        gaps: gaps.map((gap) =>
          gap.what === "absent" && gap.cause === "pause" ? { ...gap, cause: "not_started" } : gap,
        ),
      };
      const first = await setup.report(AGREEMENT);
      expect(first).toMatchObject(expected);
      expect(first.findings[0]?.value ?? null).toBe(up);
      const ofDay = (day: number) =>
        figuresOf(
          rows.filter(({ minute }) => Math.floor(minute / MINUTES_PER_DAY) === FIRST + day),
          [],
        );
      for (const [day, result] of first.days.entries()) {
        const { known: count, own, market } = ofDay(day);
        expect(result).toEqual({
          day: dateOf(FIRST + day),
          known: count,
          ownSpreadPercent: own.spreadPercent,
          ownTwoSidedPercent: own.twoSidedPercent,
          ownBidsWithin2: own.depth?.bids["2"] ?? null,
          ownAsksWithin2: own.depth?.asks["2"] ?? null,
          spreadPercent: market.spreadPercent,
          twoSidedPercent: market.twoSidedPercent,
          upPercent: result.upPercent,
          signedHash: null,
          bidsWithin2: market.depth?.bids["2"] ?? null,
          asksWithin2: market.depth?.asks["2"] ?? null,
        });
      }
      expect(await setup.report(AGREEMENT)).toEqual(first);
      setup.context.client.close();
    }),
    { numRuns: 30 },
  );
});
