import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backtestingQuotes, type QuoteBacktestOptions } from "../../src/backtest/quote-backtest.ts";
import { finish } from "../../src/backtest/run/begin.ts";
import { RULES, ticksOf } from "../../src/backtest/ticks.ts";
import { type Candles, candlesOf } from "../../src/candles/candles.ts";
import { positionAccounts } from "../../src/engine/position/position.ts";
import { text } from "../../src/kernel/decimal.ts";
import { mixHash, pseudorandomShare } from "../../src/kernel/hash.ts";
import { MINUTE, SECOND } from "../../src/kernel/time.ts";
import type { Fill } from "../../src/model/order.ts";
import type { QuoteStrategy } from "../../src/quote/state.ts";
import { bearer } from "../contract/suite.ts";
import { testApp } from "../support/app.ts";
import { edgemaker } from "../support/command.ts";
import { d, market } from "../support/grid.ts";
import { quotesOf } from "../support/starts.ts";
import { tempFolder } from "../support/temp.ts";
import { most } from "../support/whole.ts";
import { requested, steppedAny } from "./stepped.ts";

const START = Date.UTC(2026, 0, 1);
const PLACE = { exchange: "kraken", symbol: "BTC/USDT" };
const MARKET = market({
  tick: d("0.01"),
  lot: d("0.001"),
  minAmount: d("0.001"),
  minNotional: d("5"),
  maker: d("0.001"),
  taker: d("0.001"),
});

/** Bars of [open, high, low, close]. */
const bars = (rows: readonly (readonly [number, number, number, number])[]): Candles =>
  candlesOf(
    { pair: "BTC/USDT", spanMillis: MINUTE },
    rows.map(([open, high, low, close], i) => ({
      at: START + i * MINUTE,
      volume: 1,
      open: open.toFixed(2),
      high: high.toFixed(2),
      low: low.toFixed(2),
      close: close.toFixed(2),
    })),
  );

/** Without skew and volatility: bids and asks at 1 % of the price, ten base and a thousand quote. */
const PLAIN = {
  spreadPercent: 2,
  size: 100,
  skewPercent: 0,
  volatilityFactor: 0,
  baseBudget: 10,
  quoteBudget: 1000,
};
const countRequests = (fields: object = {}) => quotesOf({ ...PLACE, ...PLAIN, ...fields });
const run = (candles: Candles, fields: object = {}, options: Partial<QuoteBacktestOptions> = {}) =>
  finish(backtestingQuotes(countRequests(fields), candles, { market: MARKET, ...options }));

const FLAT = [100, 100, 100, 100] as const;

describe("a backtest of quotes", () => {
  it("trades nothing at a constant price, and has both sides open all the time", () => {
    const { run: still, startPrice, warnings } = run(bars([FLAT, FLAT, FLAT]));
    expect([still.fills.length, still.passes, still.twoSided]).toEqual([0, 36, 35]);
    expect(text(positionAccounts(still.account.strategy, startPrice).total)).toBe("0");
    expect(warnings.map(({ code }) => code)).toContain("no_book");
  });

  it("has no range if the last of its runs ended early", () => {
    let runs = 0;
    const isOver = (count: number) => {
      if (count === 1) runs++;
      return runs === 6;
    };
    const { run: first, band, bars: all } = run(bars([FLAT, FLAT, FLAT]), {}, { isOver });
    expect([runs, first.bars, all, band]).toEqual([6, 3, 3, null]);
  });

  it("reports that the model ignores the target", () => {
    const codesOf = (fields: object) => run(bars([FLAT, FLAT]), fields).warnings.map(({ code }) => code);
    expect(codesOf({ target: 0.3 })).not.toContain("model");
    expect(codesOf({ target: 0.3, gamma: 0.001, sigma: 1, k: 1 })).toContain("model");
  });

  it("buys a dip and sells the recovery, and reports the exact profit", () => {
    // The tolerance keeps what rests: the bid at 99 is met on the way to 98.9, the ask at 101 on that to 101.1.
    const candles = bars([FLAT, [100, 100, 98.9, 100], [100, 101.1, 100, 100], FLAT]);
    const { run: dip, endPrice, band } = run(candles, { tolerancePercent: 3 });
    expect(dip.fills.map(({ side, price, amount }) => `${side} ${text(amount)} at ${text(price)}`)).toEqual([
      "buy 1.01 at 99",
      "sell 0.99 at 101",
    ]);
    // 1.01 bought for 99.99, 0.99 sold for 99.99; fees of a thousandth each; 0.02 more base at 100.
    const { total, position } = positionAccounts(dip.account.strategy, endPrice);
    expect([text(total), text(position)]).toEqual(["1.80002", "10.02"]);
    expect(band?.count).toEqual({ least: 2, most: 2 });
  });

  it("fills on touch only on request", () => {
    const candles = bars([FLAT, [100, 100, 99, 100], FLAT]);
    expect(run(candles, { tolerancePercent: 3 }).run.fills).toHaveLength(0);
    expect(run(candles, { tolerancePercent: 3 }, { rules: { fill: "touch" } }).run.fills).toHaveLength(1);
  });

  it("buys all the way down, and exceeds its inventory limit by at most one order", () => {
    // Each bar opens a whole unit below the one before: no pass comes between.
    const falling = Array.from({ length: 12 }, (_, i) => [100 - i, 100 - i, 100 - i, 100 - i] as const);
    const { run: fall, endPrice, kept } = run(bars(falling), { maxBase: 13, spreadPercent: 0.4 });
    expect(fall.mostBase).toBeGreaterThan(d("12"));
    expect(fall.mostBase).toBeLessThanOrEqual(d("13"));
    expect(positionAccounts(fall.account.strategy, endPrice).total).toBeLessThan(kept);
    expect(fall.drawdown.amount).toBeGreaterThan(0n);
  });

  it("reports its limits: prices of other venues, and its quoting funds", () => {
    const candles = bars([FLAT]);
    expect(() => run(candles, { useOwn: false })).toThrow("candles have only the market's own price");
    expect(() => run(candles, { useOwn: false, fixedPrice: 100 })).not.toThrow();
    const without = { ...countRequests(), baseBudget: undefined, quoteBudget: undefined };
    const work = backtestingQuotes(without, candles, { market: MARKET });
    expect(() => finish(work)).toThrow("set baseBudget and quoteBudget");
  });
});

/** A walk with jumps, of which no one has chosen a price. */
function walked(seed: number, count: number): Candles {
  let price = 100;
  const next = (i: number) => pseudorandomShare(mixHash(seed, 7), i) - 0.5;
  return bars(
    Array.from({ length: count }, (_, i) => {
      const open = price;
      price = Math.max(20, price + next(2 * i) * (i % 29 === 0 ? 6 : 0.8));
      const [up, down] = [Math.abs(next(2 * i + 1)), Math.abs(next(2 * i + 1000))];
      return [open, Math.max(open, price) + up, Math.min(open, price) - down, price];
    }),
  );
}

it.each([
  ["of one level", { spreadPercent: 1 }],
  [
    "of a depth, with skew and volatility",
    { spreadPercent: 1, skewPercent: 2, volatilityFactor: 1, ...DEPTH() },
  ],
  [
    "that are defended",
    { spreadPercent: 0.2, tolerancePercent: 0, levels: 3, gapPercent: 0.1, defend: "100:30" },
  ],
  [
    "that pause a side",
    { spreadPercent: 0.2, tolerancePercent: 0, levels: 3, gapPercent: 0.1, defend: "pause:6" },
  ],
  ["with bounds", { spreadPercent: 0.6, levels: 3, maxBase: 11, minBase: 9.5, maxLoss: 60 }],
])("quotes %s trade over bars as server, store and tick do", async (_name, fields) => {
  const candles = walked(41, most(200, 30));
  const between = 10 * SECOND;
  const { run: walkedQuotes } = run(candles, fields, { rules: { tickInterval: between } });
  const market = MARKET;
  const balances = [
    { asset: "BTC", free: d("10"), used: 0n },
    { asset: "USDT", free: d("1000"), used: 0n },
  ];
  const passes = Array.from({ length: walkedQuotes.passes }, (_, i) => START + i * between);
  const real = await steppedAny(
    requested("quote", { ...PLAIN, useOthers: false, useDex: false, ...fields }),
    { bars: ticksOf(candles, market.tick), market, rules: RULES, balances, passes, interval: between },
  );
  // When a price is met between two passes is rounded on the way there, which begins at the last of them.
  const passOf = (at: number) => Math.floor((at - START) / between);
  const line = ({ side, price, amount, at }: Fill) =>
    `${passOf(at)} ${side} ${text(amount)} at ${text(price)}`;
  expect(walkedQuotes.fills.map(line).sort()).toEqual(real.fills.map(line).sort());
  expect(walkedQuotes.fills.length).toBeGreaterThan(0);
  // A defence has had an effect.
  const plain = run(candles, { ...fields, defend: "off" }, { rules: { tickInterval: between } });
  if ("defend" in fields) expect(plain.run.fills.map(line)).not.toEqual(walkedQuotes.fills.map(line));
  const { base, ledger } = (real.strategy as QuoteStrategy).state;
  const own = walkedQuotes.account.strategy.state;
  expect([own.base, own.ledger]).toEqual([base, ledger]);
});

function DEPTH() {
  return { size: undefined, depth: 300, withinPercent: 2, levels: 3 };
}

const CSV = `timestamp,open,high,low,close,volume
${START},100,100,100,100,1
${START + MINUTE},100,100,98.9,100,1
${START + 2 * MINUTE},100,101.1,100,100,1
`;
const { baseBudget, quoteBudget, ...SETTINGS } = PLAIN;
const CONFIG = { ...SETTINGS, tolerancePercent: 3 };
const RULE_FIELDS = { tick: 0.01, lot: 0.001, makerFee: 0.001 };
const GIVEN = { ...PLACE, definition: "quote", baseBudget, quoteBudget, ...RULE_FIELDS };

it("the quotes backtest on the command line reads a file, and prints text or JSON", async () => {
  const folder = tempFolder();
  const file = join(folder, "candles.csv");
  writeFileSync(file, CSV);
  const words = [
    "quote",
    "backtest",
    "--exchange",
    "kraken",
    "--symbol",
    "BTC/USDT",
    "--spread-percent",
    "2",
    "--size",
    "100",
    "--skew-percent",
    "0",
    "--volatility-factor",
    "0",
    "--base-budget",
    "10",
    "--quote-budget",
    "1000",
    "--tolerance-percent",
    "3",
    "--tick",
    "0.01",
    "--lot",
    "0.001",
    "--maker-fee",
    "0.001",
    "--data",
    file,
  ];
  const said = await edgemaker(folder, words);
  expect([said.code, said.stderr]).toEqual([0, ""]);
  expect(said.stdout.split("\n")[0]).toMatch(/^total +1\.8 \(0\.09 %\)/);
  expect(said.stdout).toContain("candles have no order book");
  const json = JSON.parse((await edgemaker(folder, [...words, "--json"])).stdout);
  expect(json).toMatchObject({ filledOrders: 2, isWhole: true, bars: 3, total: "1.80002" });
  expect(json.fills).toHaveLength(2);
  // Recorded books and prints are a grid's to walk: it says so, and what to give.
  const book = { symbol: "BTC/USDT", timestamp: START, bids: [[99, 1]], asks: [[101, 1]] };
  writeFileSync(file, `${JSON.stringify(book)}\n`);
  const refused = await edgemaker(folder, words);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("can replay; use candles or a table of trades here");
});

it("the quotes backtest on the server uses the exchange's candles, and rejects invalid requests", async () => {
  const { ask: asking, tokens } = await testApp();
  const ask = (body: object) =>
    asking("/api/v1/backtest", {
      method: "POST",
      headers: { ...bearer(tokens.read), "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const answer = await ask({ ...GIVEN, config: CONFIG, fills: 0 });
  expect(answer.status).toBe(200);
  const result = (await answer.json()) as { bars: number; details: { passes: number } };
  expect(result.bars).toBeGreaterThan(0);
  expect(result.details.passes).toBeGreaterThan(result.bars);
  const refused = await ask({ ...GIVEN, config: { ...CONFIG, useOwn: false } });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("leave useOwn on");
});
