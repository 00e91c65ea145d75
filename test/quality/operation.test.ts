import { beforeAll, describe, expect, it } from "vitest";
import { runPass } from "../../src/engine/pass/pass.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/kernel/time.ts";
import { qualityView } from "../../src/quality/operations/quality.ts";
import type { QualityAnswer } from "../../src/quality/tally.ts";
import { checkAlarms } from "../../src/report/operations/alarm-checks.ts";
import type { Report } from "../../src/report/schema.ts";
import { appOver } from "../support/app.ts";
import { d } from "../support/grid.ts";
import { runOperation, START, testSandbox } from "../support/sandbox.ts";

const PAIR = { exchange: "kraken", symbol: "BTC/USDT" };
const GRID = { ...PAIR, lowerPrice: d("59000"), upperPrice: d("61000"), gridLevels: 60, orderSize: d("50") };

/** A grid before and after midnight, with passes of five seconds around it and looks of a minute. */
async function traded() {
  const box = await testSandbox({ speed: 1, start: START + 23 * HOUR });
  const deps = { ...box.deps, interval: 5 * SECOND };
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
  const pass = async (minutes: number, every = 5 * SECOND) => {
    for (let minute = 0; minute < minutes; minute++) {
      for (let at = 0; at < MINUTE; at += every) {
        box.time.pass(every);
        expect(await runPass(deps, box.venue("kraken"))).toMatchObject({ outcome: "stepped" });
      }
      await checkAlarms(deps);
    }
  };
  await pass(20);
  await pass(60, MINUTE);
  await pass(20);
  return { ...box, deps, id };
}

describe("execution quality", () => {
  let box: Awaited<ReturnType<typeof traded>>;
  let quality: QualityAnswer;
  beforeAll(async () => {
    box = await traded();
    quality = await runOperation<QualityAnswer>(box.deps, "get_quality", { id: box.id });
  });

  it("has the P&L and fees of the report, by strategy and by day", async () => {
    const report = await runOperation<Report>(box.deps, "get_report", { week: true });
    const [row] = report.strategies;
    expect(Number(row?.totalProfit)).not.toBe(0);
    expect(quality.strategies).toMatchObject([
      { id: box.id, quote: "USDT", totalProfit: row?.totalProfit, fees: row?.fees },
    ]);
    expect(quality.days.map(({ day, totalProfit }) => [day, totalProfit])).toEqual(
      report.days.map(({ day, totalProfit }) => [day, totalProfit]),
    );
    expect(quality.days).toHaveLength(2);
  });

  it("splits each P&L into spread, inventory and fees", () => {
    for (const { totalProfit, spread, inventory, fees } of [...quality.strategies, ...quality.days])
      expect(d(spread) + d(inventory) - d(fees)).toBe(d(totalProfit));
    expect(Number(quality.strategies[0]?.spread)).not.toBe(0);
  });

  it("shows people no spread of 0 where no fill has a known mid", () => {
    const [first = {} as never] = quality.days;
    const days = [
      { ...first, spread: "0", fills: 3, withoutMid: 3 },
      { ...first, spread: "0.5", fills: 3, withoutMid: 2 },
      { ...first, spread: 0, fills: 0, withoutMid: 0 },
    ];
    const strategies = quality.strategies.map((one) => ({ ...one, spread: 0, withoutMid: one.fills }));
    const shown = qualityView({ ...quality, days, strategies });
    expect(shown.days.map(({ spread }) => spread)).toEqual(["unknown", 0.5, 0]);
    expect(shown.strategies.map(({ spread }) => spread)).toEqual(["unknown"]);
  });

  it("counts each fill of the ledger once by side, by level and by hour, and in one day", async () => {
    const fills = await box.store.fillsOf(box.id, { limit: 1000 });
    const known = fills.filter(({ superseded }) => !superseded);
    expect(known.length).toBeGreaterThan(20);
    const sum = (rows: readonly { readonly fills: number }[]) =>
      rows.reduce((all, row) => all + row.fills, 0);
    const { strategies, days, sides, levels, hours } = quality;
    // The last look is as late as the last fill.
    for (const rows of [strategies, days, sides, levels, hours]) expect(sum(rows)).toBe(known.length);
    expect(sides.map(({ side }) => side).sort()).toEqual(["buy", "sell"]);
    expect(hours.map(({ hour }) => hour)).toEqual([0, 23]);
  });

  it("has unknown fills beside each share, and computes each share from the others", async () => {
    const fills = await box.store.measuredFillsOf(box.id, { limit: 1000 });
    const unknown = (name: "mid" | "mid10s") => fills.filter((fill) => fill[name] === null).length;
    expect(unknown("mid10s")).toBeGreaterThan(0);
    const measured = fills.filter(({ mid10s }) => mid10s !== null);
    const toxic = measured.filter(({ side, price, mid10s = null }) =>
      side === "buy" ? (mid10s ?? price) < price : (mid10s ?? price) > price,
    );
    expect(quality.strategies[0]).toMatchObject({
      withoutMid: unknown("mid"),
      unmeasured: unknown("mid10s"),
      toxicPercent: Math.round((1000 * toxic.length) / measured.length) / 10,
    });
    for (const { fills: all, markouts } of quality.sides)
      for (const { known, unknown: missing } of markouts) expect(known + missing).toBe(all);
  });

  it("has no groups without an id, nothing for a span without days, and no unknown strategy", async () => {
    const all = await runOperation<QualityAnswer>(box.deps, "get_quality", {});
    expect(all).toMatchObject({ count: 1, sides: [], levels: [], hours: [] });
    const before = { id: box.id, from: "2025-01-01", to: "2025-01-02" };
    expect(await runOperation(box.deps, "get_quality", before)).toMatchObject({ count: 0, days: [] });
    const missing = runOperation(box.deps, "get_quality", { id: "grid-kraken-BTC-USDT-1" });
    await expect(missing).rejects.toThrow(/there is no strategy grid-kraken-BTC-USDT-1/);
  });

  it("has only the requested days, over HTTP as well", async () => {
    const { ask, tokens } = await appOver(box.deps);
    const headers = { authorization: `Bearer ${tokens.read}` };
    const day = new Date(START + DAY).toISOString().slice(0, 10);
    const path = `/api/v1/strategy/quality?id=${box.id}&from=${day}&to=${day}`;
    const answer = (await (await ask(path, { headers })).json()) as QualityAnswer;
    expect(answer.days).toEqual(quality.days.slice(1));
    const table = await (await ask(`${path}&format=csv`, { headers })).text();
    expect(table).toMatch(new RegExp(`^day,quote,dryRun,totalProfit,.*\r\n${day},USDT,false,`));
    const wide = `/api/v1/strategy/quality?from=2026-01-01&to=2026-12-31`;
    expect((await ask(wide, { headers })).status).toBe(400);
  });

  it("counts each fill of a moment that has more fills than a page", async () => {
    const [{ account, tradeId } = {} as never] = await box.store.fillsOf(box.id, { limit: 1 });
    const columns = "client_id, strategy, side, price, amount, notional, fees, at, superseded";
    await box.context.client.execute({
      sql: `with recursive copies(n) as (select 1 union all select n + 1 from copies where n < 700)
        insert into fills (account, symbol, trade_id, ${columns})
        select account, symbol, 'copy' || n, ${columns} from copies, fills where account = ? and trade_id = ?`,
      args: [account, tradeId],
    });
    const after = await runOperation<QualityAnswer>(box.deps, "get_quality", { id: box.id });
    expect(after.strategies[0]?.fills).toBe((quality.strategies[0]?.fills ?? 0) + 700);
  });
});
