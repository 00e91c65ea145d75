import { beforeAll, describe, expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { asGrid } from "../../src/grid/state/state.ts";
import { text } from "../../src/kernel/decimal.ts";
import { DAY, HOUR, MINUTE } from "../../src/kernel/time.ts";
import { reportLines } from "../../src/report/figures.ts";
import { checkAlarms } from "../../src/report/operations/alarm-checks.ts";
import { reportOperations } from "../../src/report/operations/report.ts";
import type { Report } from "../../src/report/schema.ts";
import { createReportStore, daysQuery, lastDayQuery, uncountedQuery } from "../../src/report/store.ts";
import { statement } from "../../src/storage/client/context.ts";
import { strategyDays } from "../../src/storage/tables/liquidity-tables.ts";
import { appOver } from "../support/app.ts";
import { d } from "../support/grid.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation, START, testSandbox } from "../support/sandbox.ts";

const GRID = gridInput({
  lowerPrice: d("59000"),
  upperPrice: d("61000"),
  gridLevels: 40,
  orderSize: d("50"),
});

const STEPPED = 5 * MINUTE;

/** A world that is stepped and looked at every five minutes of its clock. */
async function watched() {
  // Three hours before midnight, so that a day ends soon.
  const box = await testSandbox({ speed: 1, start: START + 21 * HOUR });
  const deps = { ...box.deps, interval: STEPPED };
  const start = async () => (await runOperation<{ id: string }>(deps, "start_grid", GRID)).id;
  const pass = async (minutes: number, { steps = true, looks = true } = {}) => {
    for (let at = 0; at < minutes; at++) {
      box.time.pass(MINUTE);
      if (steps && at % 5 === 0) await runRound(deps);
      if (looks) await checkAlarms(deps);
    }
  };
  const report = (span: object) => runOperation<Report>(deps, "get_report", span);
  const events = async () =>
    (await box.store.eventsAfter(0, 1000)).map(({ kind, message }) => ({ kind, message }));
  return { ...box, deps, start, pass, report, events };
}

describe("a report", () => {
  let box: Awaited<ReturnType<typeof watched>>;
  let id: string;
  beforeAll(async () => {
    box = await watched();
    id = await box.start();
    await box.pass(120);
  });

  it("has the figures of the grid's ledger, by strategy and in total", async () => {
    const [view] = await box.store.strategies({ id });
    const { ledger } = view ? asGrid(view.strategy).state : {};
    const result = await box.report({});
    expect(result.strategies).toHaveLength(1);
    const [row] = result.strategies;
    expect(ledger?.filledOrders).toBeGreaterThan(4);
    expect(row).toMatchObject({
      id,
      kind: "grid",
      exchange: "kraken",
      symbol: "BTC/USDT",
      filledOrders: ledger?.filledOrders,
      cycles: ledger?.cycles,
      uptimePercent: expect.any(Number),
    });
    const { uptimePercent, inRangePercent, totalProfit, fees } = row as NonNullable<typeof row>;
    expect(uptimePercent).toBeGreaterThan(95);
    expect(inRangePercent).toBeGreaterThan(0);
    expect(Number(fees)).toBeGreaterThan(0);
    expect(result.totals).toMatchObject([{ quote: "USDT", mode: "simulated", totalProfit, fees }]);
  });

  it("names a strategy in its answer, its table, its page and its daily message", async () => {
    await runOperation(box.deps, "edit_strategy", { id, name: "Summer <1>" });
    const result = await box.report({});
    expect(result.strategies[0]?.name).toBe("Summer <1>");
    expect(reportLines(result)[1]).toContain("Summer <1>: ");
    const [operation] = reportOperations;
    expect(operation?.csv?.(result)).toContain(`\r\n${id},Summer <1>,kraken,`);
    expect(operation?.html?.(result)).toContain(`Summer &lt;1&gt; (${id})`);
    await runOperation(box.deps, "edit_strategy", { id, name: null });
    expect((await box.report({})).strategies[0]?.name).toBeNull();
  });

  it("counts every cycle of the ledger as an event", async () => {
    const [view] = await box.store.strategies({ id });
    const cycles = (await box.events()).filter(({ kind }) => kind === "cycle");
    const value = cycles.reduce((sum, { message }) => sum + Number.parseInt(message, 10), 0);
    expect(value).toBe((view && asGrid(view.strategy).state)?.ledger.cycles);
    expect(cycles[0]?.message).toMatch(/^\d+ cycles? complete, -?\d+(\.\d{1,2})? USDT realized$/);
  });

  it("is a CSV table over HTTP, and rejects two spans at once", async () => {
    const { ask, tokens } = await appOver(box.deps);
    const headers = { authorization: `Bearer ${tokens.read}` };
    const table = await (await ask("/api/v1/report?week=true&format=csv", { headers })).text();
    expect(table.split("\r\n")[1]).toMatch(new RegExp(`^${id},,kraken,BTC/USDT,simulated,`));
    const today = await (await ask("/api/v1/report", { headers })).json();
    const day = new Date((today as Report).from).toISOString().slice(0, 10);
    const span = await (await ask(`/api/v1/report?from=${day}&to=${day}`, { headers })).json();
    expect((span as Report).strategies.map(({ id }) => id)).toEqual([id]);
    expect(span).toEqual({ ...(today as Report), to: (span as Report).to });
    for (const query of ["week=true&month=true", `week=true&from=${day}`, "from=2126-01-01"])
      expect((await ask(`/api/v1/report?${query}`, { headers })).status, query).toBe(400);
  });

  it("starts a day with the end of the day before, so that days add up", async () => {
    await box.pass((DAY - (box.time.now() % DAY)) / MINUTE + 30);
    const [day, week] = [await box.report({ day: true }), await box.report({ week: true })];
    const [view] = await box.store.strategies({ id });
    const { ledger } = view ? asGrid(view.strategy).state : {};
    expect(week.strategies[0]?.filledOrders).toBe(ledger?.filledOrders);
    const before = await box.deps.reports?.daysOf(
      Math.floor(box.time.now() / DAY) - 1,
      Math.floor(box.time.now() / DAY) - 1,
    );
    const yesterday = before?.days[0]?.latest.filledOrders ?? -1;
    expect(day.strategies[0]?.filledOrders).toBe((ledger?.filledOrders ?? 0) - yesterday);
  });

  it("shows the downtime, and raises an alarm when it starts and ends", async () => {
    const other = await watched();
    await other.start();
    await other.pass(60);
    await other.pass(60, { steps: false });
    const alarm = (await other.events()).filter(({ kind }) => kind === "alarm");
    expect(alarm).toEqual([
      {
        kind: "alarm",
        message: expect.stringMatching(/^kraken is stalled: no complete pass for \d+ (s|min)$/),
      },
    ]);
    await other.pass(10);
    const [row] = (await other.report({})).strategies;
    expect(row?.uptimePercent).toBeGreaterThan(50);
    expect(row?.uptimePercent).toBeLessThan(75);
    expect((await other.events()).filter(({ kind }) => kind === "recovered")).toEqual([
      { kind: "recovered", message: "kraken runs again" },
    ]);
  });

  it("raises alarms in an hour's first check, even if the notices of the hour cannot be read", async () => {
    const other = await watched();
    await other.start();
    await other.pass(59);
    other.time.pass(MINUTE);
    const alarm = { key: "promise one", strategy: null, kind: "alarm", message: "at risk" } as const;
    const unread = () => Promise.reject(new Error("no response"));
    await expect(checkAlarms(other.deps, async () => [alarm], unread)).rejects.toThrow("no response");
    expect(await other.events()).toContainEqual({ kind: "alarm", message: alarm.message });
  });

  it("counts a strategy that started and stopped between two checks", async () => {
    const other = await watched();
    await checkAlarms(other.deps);
    const id = await other.start();
    await other.pass(30, { looks: false });
    await runOperation(other.deps, "stop_strategy", { id, sellBase: true });
    await other.pass(10, { looks: false });
    await checkAlarms(other.deps);
    const [view] = await other.store.strategies({ id });
    const { ledger } = view ? asGrid(view.strategy).state : {};
    expect([view?.strategy.status, (ledger?.filledOrders ?? 0) > 0]).toEqual(["stopped", true]);
    const { strategies } = await other.report({ week: true });
    expect(strategies).toMatchObject([{ id, filledOrders: ledger?.filledOrders }]);
  });

  it("counts what a strategy traded that stopped before the first check after two days", async () => {
    const other = await watched();
    const id = await other.start();
    await other.pass(10);
    const first = (await other.report({ week: true })).strategies[0]?.filledOrders ?? 0;
    other.time.pass(2 * DAY);
    await runOperation(other.deps, "stop_strategy", { id, sellBase: true });
    await other.pass(10, { looks: false });
    await checkAlarms(other.deps);
    const [view] = await other.store.strategies({ id });
    const { ledger } = view ? asGrid(view.strategy).state : {};
    expect([view?.strategy.status, (ledger?.filledOrders ?? 0) > first]).toEqual(["stopped", true]);
    const { strategies } = await other.report({ week: true });
    expect(strategies).toMatchObject([{ id, filledOrders: ledger?.filledOrders }]);
  });

  it("handles a last pass that a fast clock dated to the future, and counts on", async () => {
    const other = await watched();
    await other.start();
    await other.pass(60);
    const ahead = "update accounts set stepped_at = stepped_at + 3600000";
    await other.context.client.batch([ahead, "update lookout set looked_at = looked_at + 3600000"], "write");
    await other.pass(2, { steps: false });
    expect((await other.events()).filter(({ kind }) => kind === "alarm")).toEqual([
      { kind: "alarm", message: "kraken is stalled: no complete pass since a clock was set back" },
    ]);
    await other.pass(10);
    expect((await other.report({})).strategies[0]?.uptimePercent).toBeGreaterThan(90);
    expect((await other.events()).filter(({ kind }) => kind === "recovered")).toHaveLength(1);
  });

  it("has no share at the first moment, and counts fills of a fast market before it", async () => {
    const box = await testSandbox({ speed: 400 });
    const deps = { ...box.deps, interval: STEPPED };
    const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
    for (let at = 0; at < 40; at++) {
      box.time.pass(1000);
      await runRound(deps);
    }
    await checkAlarms(deps);
    const readOutput = async () => (await runOperation<Report>(deps, "get_report", {})).strategies[0];
    expect(await readOutput()).toMatchObject({ uptimePercent: null, inRangePercent: null });
    const [view] = await box.store.strategies({ id });
    const cycles = view ? asGrid(view.strategy).state.ledger.cycles : 0;
    expect(cycles).toBeGreaterThan(0);
    expect((await readOutput())?.cycles).toBe(cycles);
    for (let at = 0; at < 2; at++) {
      box.time.pass(MINUTE);
      await runRound(deps);
      await checkAlarms(deps);
    }
    box.time.pass(30_000);
    const row = await readOutput();
    expect(row?.uptimePercent).toBe(100);
    expect(row?.inRangePercent).not.toBeNull();
  });

  it("counts the time without a server as downtime, although a pass ran right before the next check", async () => {
    const other = await watched();
    await other.start();
    await other.pass(11);
    other.time.pass(HOUR);
    await other.pass(5);
    // 10 and 4 of 75 minutes since the first check.
    expect((await other.report({})).strategies).toMatchObject([{ uptimePercent: 18.7 }]);
  });

  it("counts the cycles before the first check of a strategy as events too", async () => {
    const other = await watched();
    const id = await other.start();
    await other.pass(120, { looks: false });
    await other.pass(2);
    const [view] = await other.store.strategies({ id });
    const cycles = (view && asGrid(view.strategy).state)?.ledger.cycles;
    expect(cycles).toBeGreaterThan(0);
    const told = (await other.events()).filter(({ kind }) => kind === "cycle");
    expect(told.reduce((sum, { message }) => sum + Number.parseInt(message, 10), 0)).toBe(cycles);
  });

  it("has the figures of now, also after the server that stopped a strategy has ended", async () => {
    const other = await watched();
    const id = await other.start();
    await other.pass(60);
    const before = (await other.report({})).strategies[0];
    expect(before?.uptimePercent).toBeGreaterThan(95);
    for (let at = 0; at < 10; at++) {
      other.time.pass(5000);
      await runRound(other.deps);
    }
    const ledger = async () => {
      const [view] = await other.store.strategies({ id });
      return view && asGrid(view.strategy).state.ledger;
    };
    expect((await other.report({})).strategies[0]?.filledOrders).toBe((await ledger())?.filledOrders);
    await runOperation(other.deps, "stop_strategy", { id, sellBase: true });
    for (let at = 0; at < 4; at++) {
      other.time.pass(5000);
      await runRound(other.deps);
    }
    // No server any more, so no check follows.
    other.time.pass(HOUR);
    const [after] = (await other.report({})).strategies;
    expect(after?.filledOrders).toBe((await ledger())?.filledOrders);
    expect(after?.filledOrders).toBeGreaterThan(before?.filledOrders ?? 0);
    expect(after?.uptimePercent).toBeGreaterThan(95);
    const { totalProfit } = await runOperation<{ totalProfit: string }>(other.deps, "get_strategy", { id });
    expect(after?.totalProfit).toBe(totalProfit);
  });

  it("keeps the days before a stop that no server saw for days, and adds its result to the day of the stop", async () => {
    const other = await watched();
    const id = await other.start();
    // Past midnight, so that the day of the stop did not begin with nothing.
    await other.pass(240);
    const daily = async () => other.context.db.select().from(strategyDays).orderBy(strategyDays.day);
    const [first, second] = await daily();
    expect(second?.opened).toEqual(first?.latest);
    // Without a server: passes of a command alone, then a stop, then nothing for two days.
    for (let at = 0; at < 10; at++) {
      other.time.pass(5000);
      await runRound(other.deps);
    }
    await runOperation(other.deps, "stop_strategy", { id, sellBase: true });
    for (let at = 0; at < 4; at++) {
      other.time.pass(5000);
      await runRound(other.deps);
    }
    other.time.pass(2 * DAY);
    const [view] = await other.store.strategies({ id });
    const all = (view && asGrid(view.strategy).state)?.ledger.filledOrders;
    const week = async () => (await other.report({ week: true })).strategies[0];
    const seen = await week();
    expect(seen).toMatchObject({ filledOrders: all });
    expect(seen?.uptimePercent).toBeGreaterThan(95);
    await checkAlarms(other.deps);
    const { opened, upMillis } = second as NonNullable<typeof second>;
    expect(await daily()).toMatchObject([
      first as object,
      {
        day: second?.day,
        opened,
        latest: { filledOrders: all },
        upMillis: expect.toSatisfy((up) => up >= upMillis),
      },
    ]);
    expect(await week()).toMatchObject({
      totalProfit: seen?.totalProfit,
      uptimePercent: seen?.uptimePercent,
    });
  });

  it("counts what a strategy earned while no server checked it for days to the day of the next check", async () => {
    const other = await watched();
    const id = await other.start();
    await other.pass(60);
    const [checked] = await other.context.db.select().from(strategyDays);
    for (let at = 0; at < 72; at++) {
      other.time.pass(HOUR);
      await runRound(other.deps);
    }
    const { totalProfit } = await runOperation<{ totalProfit: string }>(other.deps, "get_strategy", { id });
    const earned = text(d(totalProfit) - (checked?.latest.total ?? 0n));
    expect(Number(earned)).not.toBe(0);
    const today = async () => (await other.report({})).strategies[0]?.totalProfit;
    expect(await today()).toBe(earned);
    await checkAlarms(other.deps);
    expect(await today()).toBe(earned);
  });

  it("is updated by one of many processes, and a successor notes a gap once", async () => {
    const other = await watched();
    const second = { ...other.deps, local: { ...other.deps.local, name: "second:2" } };
    await other.start();
    await checkAlarms(other.deps);
    other.time.pass(10 * MINUTE);
    await Promise.all([checkAlarms(second), checkAlarms(second), checkAlarms(second)]);
    const results = (await other.events()).filter(({ kind }) => kind === "notice");
    expect(results).toEqual([
      {
        kind: "notice",
        message:
          "second:2 takes over from test: no server was running for 10 min; orders stayed open, and fills are booked now",
      },
    ]);
  });

  it("reports nothing of orders after a downtime in which no strategy ran", async () => {
    const other = await watched();
    await checkAlarms(other.deps);
    other.time.pass(10 * MINUTE);
    await checkAlarms(other.deps);
    expect(await other.events()).toEqual([
      { kind: "notice", message: "test is back: no server was running for 10 min" },
    ]);
  });
});

it("report queries read only the requested days and uncounted events", async () => {
  const { context } = await testSandbox();
  await createReportStore(context).lookOut({ every: 0, owner: "one", page: 10 });
  const plan = async (query: { toSQL(): { sql: string; params: unknown[] } }) => {
    const { sql, args } = statement(query as never);
    const { rows } = await context.client.execute({ sql: `explain query plan ${sql}`, args });
    return rows.map((row) => String(row.detail)).join("\n");
  };
  expect(await plan(daysQuery(context, 1, 2))).toMatch(
    /SEARCH strategy_days USING INDEX strategy_days_by_day/,
  );
  expect(await plan(lastDayQuery(context, "g"))).toMatch(
    /^SEARCH strategy_days USING INDEX sqlite_autoindex_strategy_days_1 \(strategy=\?\)$/,
  );
  const counted = await plan(uncountedQuery(context, 10));
  expect(counted).toMatch(/SEARCH events USING INTEGER PRIMARY KEY/);
  expect(counted).not.toMatch(/SCAN events/);
});
