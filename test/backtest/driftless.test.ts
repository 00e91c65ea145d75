import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { backtest } from "../../src/backtest/run/backtest.ts";
import { candlesIn } from "../../src/candles/candles.ts";
import { ONE, wire, ZERO } from "../../src/kernel/decimal.ts";
import { HOUR } from "../../src/kernel/time.ts";
import { d, market as marketOf } from "../support/grid.ts";
import { most } from "../support/whole.ts";

const START = 1_640_995_200_000;

/** Candles that are one price each. */
function candlesAt(prices: readonly number[]) {
  const price = Float64Array.from(prices);
  const times = price.map((_, i) => START + i * HOUR);
  const columns = { times, open: price, high: price, low: price, close: price, volume: price.map(() => 1) };
  return candlesIn({ pair: "BTC/USDT", spanMillis: HOUR, scale: 0, ...columns });
}

const PATHS = most(20_000, 2_000);
const STEPS = 24;

/**
 * P&L, and P&L before fees, over walks that go up or down by one level with equal probability. Every fill is at the price
 * of the market, so the expected value of the P&L before fees is zero.
 */
function driftless(fee: bigint) {
  const market = marketOf({ tick: d("1"), lot: d("0.0001"), minNotional: d("1"), maker: fee, taker: fee });
  let seed = 12_345;
  const isUp = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed >= 0x80000000;
  };
  const grid = {
    lowerPrice: d("95"),
    upperPrice: d("105"),
    gridLevels: 10,
    orderSize: d("100"),
    useOwnBase: false,
  };
  const [totals, gross]: [number[], number[]] = [[], []];
  for (let path = 0; path < PATHS; path++) {
    const prices = [100];
    while (prices.length < STEPS) prices.push((prices.at(-1) as number) + (isUp() ? 1 : -1));
    const { figures, run } = backtest(grid, candlesAt(prices), { market, rules: { fill: "touch" } });
    const fees = run.fills
      .newest(run.fills.count)
      .reduce((all, { price, amount }) => all + (price * amount * fee) / ONE / ONE, ZERO);
    totals.push(wire(figures.total));
    gross.push(wire(figures.total + fees));
  }
  return { totals, gross };
}

/** Returns the mean in standard errors from zero. */
function errorsFromZero(values: readonly number[]): number {
  const mean = values.reduce((all, value) => all + value, 0) / values.length;
  const variance = values.reduce((all, value) => all + (value - mean) ** 2, 0) / (values.length - 1);
  return mean / Math.sqrt(variance / values.length);
}

describe("a grid where the price has no drift (arXiv 2506.11921)", () => {
  it("earns nothing on average without fees", () => {
    expect(Math.abs(errorsFromZero(driftless(ZERO).totals))).toBeLessThan(4);
  });

  it("loses its fees on average", () => {
    const { totals, gross } = driftless(d("0.001"));
    expect(Math.abs(errorsFromZero(gross))).toBeLessThan(4);
    expect(errorsFromZero(totals.map((total, i) => total - (gross[i] as number)))).toBeLessThan(-4);
  });
});

const DAYS = 30;
const PATHS_SHOWN = [
  ["sideways", 0],
  ["−30 %", -0.3],
  ["+30 %", 0.3],
] as const;

/** A month of hours: a trend, and a wave of ±3 % each day. */
const monthOf = (trend: number) =>
  candlesAt(
    Array.from({ length: DAYS * 24 + 1 }, (_, hour) =>
      Math.round(50_000 * (1 + (trend * hour) / (DAYS * 24) + 0.03 * Math.sin((2 * Math.PI * hour) / 24))),
    ),
  );

it("shows in docs/grids.md what the backtest computes for three paths", () => {
  const grid = {
    lowerPrice: d("45000"),
    upperPrice: d("55000"),
    gridLevels: 20,
    orderSize: d("50"),
    initialBuy: true,
  };
  const shown = (value: bigint) => wire(value).toFixed(2).replace("-", "−");
  const rows = PATHS_SHOWN.map(([name, trend]) => {
    const { figures, run } = backtest(grid, monthOf(trend), { market: marketOf() });
    const { cycles } = run.account.strategy.state.ledger;
    return `| ${name} | ${cycles} | ${shown(figures.realized)} | ${shown(figures.total)} | ${shown(figures.holdingBase)} |`;
  });
  const guide = readFileSync("docs/grids.md", "utf8");
  for (const row of rows) expect(guide).toContain(row);
});
