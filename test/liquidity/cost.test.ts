import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { mul, text } from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import { agreementPage, type LiquidityReport } from "../../src/liquidity/agreement-page.tsx";
import { readStatusContent } from "../../src/liquidity/operations/check-proof.ts";
import { readCosts } from "../../src/liquidity/operations/report.ts";
import { liquidityPage } from "../../src/liquidity/page.tsx";
import { totalCosts } from "../../src/liquidity/schema.ts";
import { statusPage } from "../../src/liquidity/status-page.tsx";
import {
  createAgreementStore,
  createLiquidityStore,
  type LiquidityDeps,
} from "../../src/liquidity/store/store.ts";
import { dateOf } from "../../src/model/limits.ts";
import { MINUTES_PER_DAY } from "../../src/model/samples/sample.ts";
import { createOperations } from "../../src/operations.ts";
import type { QualityAnswer } from "../../src/quality/tally.ts";
import { statement } from "../../src/storage/client/context.ts";
import { fillMids, strategyDays } from "../../src/storage/tables/liquidity-tables.ts";
import { fills } from "../../src/storage/tables/trading-tables.ts";
import { appOver } from "../support/app.ts";
import { d } from "../support/grid.ts";
import { liquidityMinute, soleMarket } from "../support/liquidity-minute.ts";
import { fill } from "../support/made.ts";
import { askingOf, EXCHANGES, START, testSandbox } from "../support/sandbox.ts";

const FIRST = START / DAY;
const DAYS = 4;
/** Two markets with the same quote asset, one with another, and one without a strategy. */
const MARKETS = [
  { exchange: "kraken", symbol: "BTC/USDT" },
  { exchange: "mexc", symbol: "BTC/USDT" },
  { exchange: "mexc", symbol: "ETH/BTC" },
  { exchange: "gateio", symbol: "ETH/USDT" },
] as const;
const KRAKEN = MARKETS[0];

interface RandomFill {
  readonly strategy: number;
  readonly at: number;
  readonly side: "buy" | "sell";
  readonly price: bigint;
  readonly amount: bigint;
  readonly mid: bigint | null;
  readonly superseded: boolean;
}
interface RandomDay {
  readonly total: bigint;
  readonly fees: bigint;
}

const units = (max: bigint) => fc.bigInt({ min: 1n, max });
const randomFill: fc.Arbitrary<RandomFill> = fc.record({
  strategy: fc.nat(4),
  at: fc.nat(DAYS * DAY - 1),
  side: fc.constantFrom("buy", "sell"),
  price: units(10n ** 23n),
  amount: units(10n ** 20n),
  mid: fc.option(units(10n ** 23n)),
  superseded: fc.boolean(),
});
const money = fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n });
const randomDays: fc.Arbitrary<RandomDay[]> = fc.array(fc.record({ total: money, fees: money }), {
  minLength: DAYS,
  maxLength: DAYS,
});

/** Five strategies: two on the first market, one on each of the others but the last, and one on an unrelated pair. */
const STRATEGY_MARKETS = [
  KRAKEN,
  KRAKEN,
  MARKETS[1],
  MARKETS[2],
  { exchange: "kraken", symbol: "SOL/USDT" },
] as const;

async function opened() {
  const box = await testSandbox({ speed: 1 });
  const { client, db } = box.context;
  await client.execute("pragma foreign_keys = off");
  const [store, agreements] = [createLiquidityStore(box.context), createAgreementStore(box.context)];
  const deps: LiquidityDeps = { ...box.deps, liquidity: { store, pairs: [...MARKETS], agreements } };
  box.time.pass(DAYS * DAY);
  let run = 0;
  const put = async (rows: readonly RandomFill[], days: readonly (readonly RandomDay[])[]) => {
    // Fills cannot be deleted, so each run has strategies of its own.
    run++;
    await client.execute("delete from strategy_days");
    const accountOf = (index: number) => `sandbox:${STRATEGY_MARKETS[index]?.exchange}:`;
    for (const [place, { mid, strategy, at, price, amount, ...row }] of rows.entries()) {
      const symbol = STRATEGY_MARKETS[strategy]?.symbol as Pair;
      const of = { account: accountOf(strategy), symbol, at: START + at, tradeId: `${run}-${place}` };
      const of1 = {
        ...of,
        strategy: `s${strategy}-${run}`,
        price,
        amount,
        notional: mul(price, amount, "half"),
      };
      await client.execute(statement(db.insert(fills).values(fill({ ...row, ...of1 }))));
      if (mid !== null) await client.execute(statement(db.insert(fillMids).values({ ...of, mid })));
    }
    for (const [index, ofStrategy] of days.entries()) {
      let before = { total: 0n, realized: 0n, fees: 0n, cycles: 0, filledOrders: 0, symbol: "" };
      for (const [place, change] of ofStrategy.entries()) {
        const day = FIRST + place;
        const opened = { ...before, symbol: STRATEGY_MARKETS[index]?.symbol ?? "" };
        const latest = { ...opened, total: opened.total + change.total, fees: opened.fees + change.fees };
        before = latest;
        const times = { from: day * DAY, to: (day + 1) * DAY, upMillis: 0, inRangeMillis: 0, incidents: 0 };
        const of = { strategy: `s${index}-${run}`, day, account: accountOf(index), opened, latest };
        await client.execute(statement(db.insert(strategyDays).values({ ...of, ...times, isFinal: false })));
      }
    }
  };
  return { ...box, ...askingOf(deps), deps, put, store };
}

const namedSpan = (from: number, to: number) => ({ from: dateOf(FIRST + from), to: dateOf(FIRST + to) });

describe("what liquidity cost", () => {
  let box: Awaited<ReturnType<typeof opened>>;
  beforeAll(async () => {
    box = await opened();
    await box.ask("create_agreement", {
      agreement: "all",
      from: dateOf(FIRST),
      markets: MARKETS.map(({ exchange, symbol }) => `${exchange}:${symbol}`).join(", "),
    });
  });

  it("is spread + inventory − fees = total over random fills, by market and quote asset, as in quality", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(randomFill, { maxLength: 25 }),
        fc.tuple(randomDays, randomDays, randomDays, randomDays, randomDays),
        fc.tuple(fc.nat(DAYS - 1), fc.nat(DAYS - 1)),
        async (rows, days, [a, b]) => {
          await box.put(rows, days);
          const [from, to] = [Math.min(a, b), Math.max(a, b)];
          const place = { from: FIRST + from, to: FIRST + to };
          const costs = await readCosts(box.deps, MARKETS, place, { actor: "test" });
          const totals: Record<string, bigint> = {};
          for (const { market, profit } of costs) {
            const own = days.filter((_, index) => STRATEGY_MARKETS[index] === market);
            const total = own
              .flatMap((one) => one.slice(from, to + 1))
              .reduce((sum, { total: one }) => sum + one, 0n);
            const quote = market.symbol.split("/")[1] ?? "";
            expect(profit === null).toBe(own.length === 0);
            if (!profit) continue;
            expect(profit.total).toBe(total);
            expect(profit.spread + profit.inventory - profit.fees).toBe(total);
            totals[quote] = (totals[quote] ?? 0n) + total;
          }
          const sums = totalCosts(costs).map(({ quote, totalProfit }) => [quote, totalProfit]);
          expect(Object.fromEntries(sums)).toEqual(
            Object.fromEntries(Object.entries(totals).map(([quote, total]) => [quote, text(total)])),
          );

          const span = namedSpan(from, to);
          const quality = await box.ask<QualityAnswer>("get_quality", span);
          const { cost } = await box
            .ask<LiquidityReport>("get_liquidity_report", { ...MARKETS[1], ...span })
            .then(soleMarket);
          const row = quality.strategies.find(({ id }) => id.startsWith("s2-"));
          const { totalProfit, spread, inventory, fees, fills: count, withoutMid } = row ?? {};
          const isUnknown = count === withoutMid && count !== 0;
          expect(cost).toEqual({
            quote: "USDT",
            totalProfit,
            inventory,
            fees,
            withoutMid,
            spread: isUnknown ? null : spread,
            fills: count,
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  const NONE = Array.from({ length: DAYS }, () => ({ total: 0n, fees: 0n }));
  const bid = (over: Partial<RandomFill>): RandomFill => ({
    strategy: 0,
    at: 12 * 60 * MINUTE,
    side: "buy",
    price: d("99"),
    amount: d("2"),
    mid: d("100"),
    superseded: false,
    ...over,
  });
  const ONE_DAY = [{ total: d("1.5"), fees: d("0.3") }, ...NONE.slice(1)];

  it("is on HTTP, in the page, on the command line and in the tool of agents", async () => {
    await box.put([bid({}), bid({ mid: null, at: 13 * 60 * MINUTE })], [ONE_DAY, NONE, NONE, ONE_DAY, NONE]);
    const cost = {
      quote: "USDT",
      totalProfit: "1.5",
      spread: "2",
      inventory: "-0.2",
      fees: "0.3",
      fills: 2,
      withoutMid: 1,
    };
    const { ask, tokens } = await appOver(box.deps);
    const query = new URLSearchParams({ ...KRAKEN, ...namedSpan(0, 1) });
    const headers = { authorization: `Bearer ${tokens.read}` };
    const get = (more: string) => ask(`/api/v1/liquidity/report?${query}${more}`, { headers });
    expect(await (await get("")).json()).toMatchObject({
      costs: [{ ...cost, markets: 1, unknownMarkets: 0 }],
      markets: [{ cost }],
    });
    const page = await (await get("&format=html")).text();
    expect(page).toContain(
      '<b class="gain">1.50\u00a0USDT</b></td><td>2.00\u00a0USDT</td><td>-0.20\u00a0USDT</td><td>0.30\u00a0USDT</td><td>2</td><td>1</td>',
    );
    expect(page.indexOf("What it cost")).toBeLessThan(page.indexOf("<h2>Days"));
    const report = await box.ask<LiquidityReport>("get_liquidity_report", {
      agreement: "all",
      ...namedSpan(0, 1),
    });
    expect(report.costs).toEqual([
      { ...cost, markets: 3, unknownMarkets: 1 },
      expect.objectContaining({ quote: "BTC", markets: 1, totalProfit: "1.5" }),
    ]);
    expect(report.markets.map((market) => market.cost?.totalProfit)).toEqual(["1.5", "0", "1.5", undefined]);
    const html = agreementPage(report);
    expect(html.indexOf("What it cost")).toBeLessThan(html.indexOf("What was offered"));
    expect(html).toContain("<b>2 of 3 markets in USDT</b>");
    const operation = createOperations(EXCHANGES).find(({ name }) => name === "get_liquidity_report");
    for (const answer of [await (await get("")).json(), report]) {
      const view = JSON.stringify(operation?.cli?.view?.(answer));
      expect(view).toContain('"totalProfit":1.5');
      expect(view).toContain('"spreadCaptured":2');
    }
  });

  it("is unknown without a mid of any fill or without a strategy, never zero", async () => {
    await box.put([bid({ mid: null })], [ONE_DAY, NONE, NONE, NONE, NONE]);
    const report = await box
      .ask<LiquidityReport>("get_liquidity_report", { ...KRAKEN, ...namedSpan(0, 1) })
      .then(soleMarket);
    expect(report.cost).toMatchObject({ totalProfit: "1.5", spread: null, inventory: "1.8", withoutMid: 1 });
    expect(liquidityPage(report)).toContain("<td>not known</td><td>1.80");
    const none = await box
      .ask<LiquidityReport>("get_liquidity_report", {
        ...MARKETS[3],
        ...namedSpan(0, 1),
      })
      .then(soleMarket);
    expect(none.cost).toBeNull();
    expect(liquidityPage(none)).toContain("no strategy of the market has figures for these days");
  });

  it("is unknown where the platform's requests are used up", async () => {
    await box.put([bid({})], [ONE_DAY, NONE, NONE, NONE, NONE]);
    let left = 12;
    const requests = () => left--;
    const [none] = await readCosts(
      { ...box.deps, requests: () => 2 },
      [KRAKEN],
      { from: FIRST, to: FIRST },
      { actor: "test" },
    );
    expect(none?.profit).toBeNull();
    left = 3;
    const [spent] = await readCosts(
      { ...box.deps, requests },
      [KRAKEN],
      { from: FIRST, to: FIRST },
      { actor: "test" },
    );
    expect(spent?.profit).toBeNull();
  });

  it("is left out of a report on request, and of the status page always", async () => {
    await box.put([bid({})], [ONE_DAY, NONE, NONE, NONE, NONE]);
    const report = await box
      .ask<LiquidityReport>("get_liquidity_report", {
        ...KRAKEN,
        ...namedSpan(0, 1),
        cost: false,
      })
      .then(soleMarket);
    expect("cost" in report).toBe(false);
    expect(liquidityPage(report)).not.toContain("<h2>What it cost");
    const agreed = await box.ask<LiquidityReport>("get_liquidity_report", { agreement: "all", cost: false });
    expect([agreed.costs, agreed.markets.some((market) => "cost" in market)]).toEqual([undefined, false]);
    expect(agreementPage(agreed)).not.toContain("<h2>What it cost");
    await box.store.keep(KRAKEN, liquidityMinute({ minute: FIRST * MINUTES_PER_DAY }));
    const status = await readStatusContent(box.deps, { maker: null, hasAmounts: true });
    expect(JSON.stringify(status)).not.toContain("totalProfit");
    expect(statusPage(status)).not.toMatch(/cost|P&amp;L/);
  });
});
