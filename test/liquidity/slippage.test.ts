import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type Decimal, mul, ONE } from "../../src/kernel/decimal.ts";
import { DAY } from "../../src/kernel/time.ts";
import type { LiquidityReport } from "../../src/liquidity/agreement-page.tsx";
import { liquidityPage } from "../../src/liquidity/page.tsx";
import type { LiquidityAnswer } from "../../src/liquidity/schema.ts";
import { createLiquidityStore, type LiquidityDeps } from "../../src/liquidity/store/store.ts";
import { dateOf } from "../../src/model/limits.ts";
import type { BookLevel } from "../../src/model/market.ts";
import { foldSamples, MINUTES_PER_DAY, sampleBook } from "../../src/model/samples/sample.ts";
import { slippageSums, TRADE_SIZES } from "../../src/model/samples/sums.ts";
import { createOperations } from "../../src/operations.ts";
import { d } from "../support/grid.ts";
import { liquidityMinute, soleMarket } from "../support/liquidity-minute.ts";
import { askingOf, EXCHANGES, START, testSandbox } from "../support/sandbox.ts";

const PAIR = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const FIRST = START / DAY;
const MID = 100n * ONE;

/** Distances from the mid in units of 0.01 %, and amounts of quote. */
const level = fc.record({
  distance: fc.integer({ min: 1, max: 400 }),
  quote: fc.integer({ min: 1, max: 90_000 }),
});
const side = fc.uniqueArray(level, { minLength: 1, maxLength: 12, selector: ({ distance }) => distance });

function levelsOf(levels: readonly { distance: number; quote: number }[], sign: 1n | -1n): BookLevel[] {
  const sorted = levels.toSorted((a, b) => a.distance - b.distance);
  return sorted.map(({ distance, quote }) => {
    const price = MID + (sign * MID * BigInt(distance)) / 10_000n;
    return { price, amount: (BigInt(quote) * ONE * ONE) / price };
  });
}

/** Returns size × slippage of an order that takes the levels one after the other; undefined if they are not enough. */
function walk(levels: readonly BookLevel[], size: Decimal): Decimal | undefined {
  let [left, cost] = [size, 0n];
  for (const { price, amount } of levels) {
    const quote = mul(price, amount, "down");
    const filled = quote < left ? quote : left;
    const distance = price > MID ? price - MID : MID - price;
    cost += (filled * distance) / MID;
    left -= filled;
  }
  return left === 0n ? cost : undefined;
}

describe("the bounds of slippage", () => {
  it("contain what the whole book costs, also where the exchange returned a part of it", () => {
    let ended = 0;
    fc.assert(
      fc.property(side, side, fc.integer({ min: 1, max: 12 }), (bids, asks, limit) => {
        // Both best prices have the same distance, so the mid is exact.
        const best = Math.min(...[...bids, ...asks].map(({ distance }) => distance));
        const withBest = (levels: typeof bids) =>
          levels.map((one, index) => (index === 0 ? { ...one, distance: best } : one));
        const unique = (levels: typeof bids) =>
          levels.filter(({ distance }, at) => at === levels.findIndex((one) => one.distance === distance));
        const whole = {
          bids: levelsOf(unique(withBest(bids)), -1n),
          asks: levelsOf(unique(withBest(asks)), 1n),
        };
        const book = { bids: whole.bids.slice(0, limit), asks: whole.asks.slice(0, limit) };
        const observed = { at: 0, bid: undefined, ask: undefined, reference: null };
        const [row] = foldSamples([sampleBook({ ...observed, book, limit }, [])]);
        if (!row) throw new Error("no minute");
        const { sides, sizes } = slippageSums([row]);
        expect(sides).toBe(2);
        for (const [index, size] of TRADE_SIZES.entries()) {
          const { least = 0n, most = 0n, ended: without = 0 } = sizes[index] ?? {};
          const costs = [walk(whole.bids, size), walk(whole.asks, size)];
          const known = costs.filter((cost) => cost !== undefined);
          ended += without;
          // Each level rounds its amount and its cost.
          const slack = 100n;
          if (known.length === 2) expect(least <= (known[0] ?? 0n) + (known[1] ?? 0n) + slack).toBe(true);
          if (without === 0) {
            expect(known).toHaveLength(2);
            expect((known[0] ?? 0n) + (known[1] ?? 0n) <= most + slack).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(ended).toBeGreaterThan(0);
  });

  it("follow from the spread and the depth of each band", () => {
    // Per side: 50 quote within 0.5 %, 500 within 1 % and 5,000 within 2 %; the best prices are 0.2 % from the mid.
    const depths = [d("50"), d("500"), d("5000")] as const;
    const minute = { spread: d("0.004"), depth: { bids: depths, asks: depths }, isCutShort: false };
    const of = (over: object = {}) =>
      slippageSums([{ ...minute, ...over }]).sizes.map(({ least, most, ended }) => [least, most, ended]);
    expect(of()).toEqual([
      // 50 at 0.2 to 0.5 %, 50 at 0.5 to 1 %.
      [2n * (d("0.1") + d("0.25")), 2n * (d("0.25") + d("0.5")), 0],
      [2n * (d("0.1") + d("2.25") + d("5")), 2n * (d("0.25") + d("4.5") + d("10")), 0],
      // The rest is at 2 % or more, or nowhere.
      [2n * (d("0.1") + d("2.25") + d("45") + d("100")), 0n, 2],
      [2n * (d("0.1") + d("2.25") + d("45") + d("1900")), 0n, 2],
    ]);
    // The response ended within the last band, so the rest can be there too.
    expect(of({ isCutShort: true })[2]).toEqual([2n * (d("0.1") + d("2.25") + d("45") + d("50")), 0n, 2]);
    // Nothing within 2 %: the best prices are 3 % away.
    expect(of({ spread: d("0.06"), depth: { bids: [0n, 0n, 0n], asks: [0n, 0n, 0n] } })[0]).toEqual([
      d("6"),
      0n,
      2,
    ]);
    expect(
      slippageSums([
        { ...minute, spread: null },
        { ...minute, depth: null },
      ]).sides,
    ).toBe(0);
  });
});

describe("the cost to trade in a report", () => {
  let report: (more?: object) => Promise<LiquidityAnswer>;
  beforeAll(async () => {
    const box = await testSandbox();
    const store = createLiquidityStore(box.context);
    const deps: LiquidityDeps = { ...box.deps, liquidity: { store, pairs: [PAIR] } };
    const depths = [d("500"), d("5000"), d("20000")] as const;
    for (const [day, spread] of [
      [0, "0.004"],
      [1, "0.008"],
    ] as const)
      await store.keep(
        PAIR,
        liquidityMinute({
          minute: (FIRST + day) * MINUTES_PER_DAY,
          spread: d(spread),
          depth: { bids: depths, asks: depths },
        }),
      );
    box.time.pass(3 * DAY);
    const { ask } = askingOf(deps);
    report = (more = {}) =>
      ask<LiquidityReport>("get_liquidity_report", {
        ...PAIR,
        from: dateOf(FIRST),
        to: dateOf(FIRST + 2),
        cost: false,
        ...more,
      }).then(soleMarket);
  });

  it("has bounds for the period and for each day with a sample", async () => {
    const { costToTrade } = await report();
    const of = (name: string | null) =>
      costToTrade
        .filter(({ day }) => day === name)
        .map(({ atLeastPercent, atMostPercent, bookEndsPercent }) => [
          atLeastPercent,
          atMostPercent,
          bookEndsPercent,
        ]);
    expect(costToTrade.map(({ amount }) => amount).slice(0, 4)).toEqual(["100", "1000", "10000", "100000"]);
    expect(of(dateOf(FIRST))).toEqual([
      [0.2, 0.5, 0],
      [0.35, 0.75, 0],
      [0.735, 1.475, 0],
      [1.7735, null, 100],
    ]);
    expect(of(dateOf(FIRST + 1))[0]).toEqual([0.4, 0.5, 0]);
    expect(of(dateOf(FIRST + 2))).toEqual([]);
    expect(of(null)[0]).toEqual([0.3, 0.5, 0]);
    // From stored sums.
    expect((await report()).costToTrade).toEqual(costToTrade);
    expect((await report({ details: false })).costToTrade).toEqual(costToTrade.slice(0, 4));
  });

  it("is on the page and on the command line, and unknown without a sample", async () => {
    const answer = await report();
    const page = liquidityPage(answer);
    expect(page).toContain(
      "<td>0.30 to 0.50\u00a0%</td><td>0.40 to 0.75\u00a0%</td><td>0.74 to 1.48\u00a0%</td><td>at least 1.77\u00a0%</td>",
    );
    expect(page).toContain(`<td>${dateOf(FIRST + 1)}</td><td>0.40 to 0.50\u00a0%</td>`);
    const view = createOperations(EXCHANGES).find(({ name }) => name === "get_liquidity_report")?.cli?.view;
    expect(view?.({ agreement: null, markets: [answer] })).toMatchObject({
      costToTrade: [{ day: "all days", "order of 100": "0.30 to 0.50\u00a0%" }, {}, {}],
    });
    const empty = await report({ from: dateOf(FIRST + 2) });
    expect(empty.costToTrade.map(({ atLeastPercent }) => atLeastPercent)).toEqual([null, null, null, null]);
    expect(liquidityPage(empty)).toContain("<td>not known</td><td>not known</td>");
  });
});
