import { beforeAll, describe, expect, it } from "vitest";
import { DAY, HOUR } from "../../src/kernel/time.ts";
import type { LiquidityReport } from "../../src/liquidity/agreement-page.tsx";
import { liquidityPage } from "../../src/liquidity/page.tsx";
import { createLiquidityStore, type LiquidityDeps } from "../../src/liquidity/store/store.ts";
import { dateOf } from "../../src/model/limits.ts";
import { MINUTES_PER_DAY } from "../../src/model/samples/sample.ts";
import { d } from "../support/grid.ts";
import { liquidityMinute, soleMarket } from "../support/liquidity-minute.ts";
import { askingOf, START, testSandbox } from "../support/sandbox.ts";

const PAIR = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const FIRST = START / DAY;

/** Two finished days: no sample in hour 3, no own order in hour 5, a wider spread in half of hour 7. */
async function sampled() {
  const box = await testSandbox();
  const store = createLiquidityStore(box.context);
  const deps: LiquidityDeps = { ...box.deps, liquidity: { store, pairs: [PAIR] } };
  for (let at = 0; at < 2 * MINUTES_PER_DAY; at++) {
    const [minute, hour] = [FIRST * MINUTES_PER_DAY + at, Math.floor(at / 60)];
    if (hour === 3) continue;
    const isAway = hour === 5;
    const depth = [0n, 0n, isAway ? 0n : d("1000")] as const;
    const row = liquidityMinute({
      minute,
      ownSpread: isAway ? null : hour === 7 && at % 2 === 0 ? d("0.03") : d("0.01"),
      ownOrders: isAway ? { bids: 0, asks: 0 } : { bids: 2, asks: 2 },
      ownDepth: { bids: depth, asks: depth },
    });
    await store.keep(PAIR, row);
  }
  box.time.pass(2 * DAY);
  const { ask } = askingOf(deps);
  const report = (more: object = {}) =>
    ask<LiquidityReport>("get_liquidity_report", {
      ...PAIR,
      from: dateOf(FIRST),
      to: dateOf(FIRST + 1),
      cost: false,
      ...more,
    }).then(soleMarket);
  return { report };
}

describe("figures by hour", () => {
  let report: Awaited<ReturnType<typeof sampled>>["report"];
  beforeAll(async () => {
    ({ report } = await sampled());
  });

  it("have the mean of each hour, and no figure for an hour without a sample", async () => {
    const { hours } = await report();
    expect(hours?.from).toBe(FIRST * DAY);
    expect(hours?.ownTwoSidedPercent).toHaveLength(48);
    expect(hours?.ownTwoSidedPercent.slice(2, 8)).toEqual([100, null, 100, 0, 100, 100]);
    expect(hours?.ownSpreadPercent.slice(2, 8)).toEqual([1, null, 1, null, 1, 2]);
    for (const depth of [hours?.ownBidsWithin2, hours?.ownAsksWithin2])
      expect(depth?.slice(2, 8)).toEqual(["1000", null, "1000", "0", "1000", "1000"]);
    // From the stored sums of the days, and of the second day alone.
    expect((await report()).hours).toEqual(hours);
    const second = (await report({ from: dateOf(FIRST + 1) })).hours;
    expect(second).toMatchObject({ from: FIRST * DAY + 24 * HOUR });
    expect(second?.ownSpreadPercent).toEqual(hours?.ownSpreadPercent.slice(24));
  });

  it("are left out on request and over more than 31 days", async () => {
    expect((await report({ details: false })).hours).toBeUndefined();
    expect((await report({ from: dateOf(FIRST - 29) })).hours).toBeDefined();
    expect((await report({ from: dateOf(FIRST - 30) })).hours).toBeUndefined();
  });

  it("are charts in which an hour without a sample is a gap, and an hour without orders is not", async () => {
    const page = liquidityPage(await report());
    const charts = page.match(/<figure class="hours">.*?<\/figure>/gs) ?? [];
    expect(charts).toHaveLength(3);
    for (const chart of charts) expect(chart.match(/class="gap"/g)).toHaveLength(1);
    const step = 1080 / 48;
    const [uptime = "", spread = "", depth = ""] = charts;
    // One gap splits the line into two; hour 5 is at the bottom.
    const path = /<path class="area" d="([^"]*)"/.exec(uptime)?.[1] ?? "";
    expect(path.match(/M/g)).toHaveLength(2);
    expect(path).toContain(`V90.0H${(6 * step).toFixed(1)}`);
    expect(path).not.toContain(`H${(4 * step).toFixed(1)}V`);
    expect(spread.match(/M/g)).toHaveLength(3);
    expect(depth.match(/<path/g)).toHaveLength(2);
    expect(liquidityPage(await report({ details: false }))).not.toContain('class="hours"');
  });
});
