import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { MAX_CANDIDATES } from "../../src/backtest/candidates.ts";
import { backtest } from "../../src/backtest/run/backtest.ts";
import { suggest } from "../../src/backtest/suggest.ts";
import { ticksOf } from "../../src/backtest/ticks.ts";
import { type Candles, candlesIn } from "../../src/candles/candles.ts";
import { createReader } from "../../src/candles/read.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { market as marketOf } from "../support/grid.ts";
import { type Figure, noCandles, repeat } from "./figure.ts";

const FILE = "../shared/data/btc-usd-2022-01-1m.csv.gz";
const MONTHS = 60;
/** Before it is measured: so many runs of a walk, and of a jump, keep the compiler busy, whose time is counted too. */
const WARM = 60;
const WARM_JUMPS = 200;

/** The month again and again, its times going on. */
function repeated({ times, ...month }: Candles, count: number): Candles {
  const length = times.length;
  const column = (of: Float64Array | Int32Array) => {
    const all = new Float64Array(length * count);
    for (let i = 0; i < all.length; i++) all[i] = of[i % length] as number;
    return all;
  };
  const all = Float64Array.from({ length: length * count }, (_, i) => (times[0] as number) + i * MINUTE);
  const { open, high, low, close, volume } = month;
  return candlesIn({
    ...month,
    times: all,
    open: column(open),
    high: column(high),
    low: column(low),
    close: column(close),
    volume: column(volume),
  });
}

/** Bars of a price that swings over two slots of the grid below, up and down: one of 12 fills an order. */
function swinging(like: Candles): Candles {
  const { length } = like.times;
  const column = (at: (bar: number) => number) => Float64Array.from({ length }, (_, bar) => at(bar));
  // Up for 24 minutes and down for 24, through two slots of 375 each way.
  const price = (bar: number) => 40_500 + 400 * Math.sin((bar * Math.PI) / 24);
  const cents = (value: number) => Math.round(value * 100);
  const open = column((bar) => cents(price(bar)));
  const close = column((bar) => cents(price(bar + 1)));
  const high = column((bar) => Math.max(open[bar] as number, close[bar] as number));
  const low = column((bar) => Math.min(open[bar] as number, close[bar] as number));
  return candlesIn({ ...like, scale: 2, open, high, low, close });
}

const GRID = { lower: 33_000, upper: 48_000, levels: 40, size: 500 };
const REQUEST = {
  lowerPrice: decimal(String(GRID.lower)),
  upperPrice: decimal(String(GRID.upper)),
  gridLevels: GRID.levels,
  orderSize: decimal(String(GRID.size)),
};

/** Bars in a second of CPU time: a grid of 40 slots, its whole ledger and all figures, beside a plain walk in floats. */
export async function backtestFigures(): Promise<Figure[]> {
  if (!existsSync(FILE)) return noCandles("backtest", FILE);
  const reader = createReader({ pair: "BTC/USDT" });
  reader.push(gunzipSync(readFileSync(FILE)));
  const month = reader.end().candles;
  const years = repeated(month, MONTHS);
  const dense = swinging(years);
  const market = marketOf({ tick: decimal("0.1") });
  for (const candles of [month, years, dense]) ticksOf(candles, market.tick);
  const rate = (bars: number, begun: NodeJS.CpuUsage) => {
    const { user, system } = process.cpuUsage(begun);
    return bars / (user + system);
  };
  const of = (candles: Candles, engine: "walk" | "jump") => async () => {
    const begun = process.cpuUsage();
    const { run } = backtest(REQUEST, candles, { market, engine });
    const bars = rate(run.bars, begun);
    if (run.engine !== engine) throw new Error(`it was a ${run.engine}`);
    const each = run.bars / run.fills.count;
    if (candles === dense && Math.abs(each - 12) > 0.1) throw new Error(`it fills every ${each} bars`);
    return bars;
  };
  const plain = (candles: Candles) => async () => {
    const begun = process.cpuUsage();
    floatWalk(GRID, candles, 0.001);
    return rate(candles.times.length, begun);
  };
  const suggested = (candles: Candles) => async () => {
    const begun = process.cpuUsage();
    const options = { market, budget: 10_000, windows: 6, candidates: MAX_CANDIDATES, seed: 1 };
    if (suggest(candles, options).looked < 1000) throw new Error("it has looked at too few grids");
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1e6;
  };
  const measured = async (measure: () => Promise<number>, warm = WARM) => {
    await repeat(measure, warm);
    return repeat(measure);
  };
  const unit = "M bars/s of CPU time";
  return [
    {
      name: "backtest in integers, 40 slots, 60 times a real month of minutes",
      unit,
      runs: await measured(of(years, "jump"), WARM_JUMPS),
      goal: "≥ 100 M",
    },
    {
      name: "backtest in integers, 40 slots, a fill in every 12 bars",
      unit,
      runs: await measured(of(dense, "jump"), WARM_JUMPS),
      goal: "≥ 30 M",
    },
    {
      name: "backtest pass by pass, 40 slots, a real month of minutes",
      unit,
      runs: await measured(of(month, "walk")),
      goal: "≥ 0.2 M",
    },
    {
      name: "suggest: 2,016 grids over six windows of one month",
      unit: "s of CPU time",
      runs: await measured(suggested(month), 1),
      goal: "≤ 5",
    },
    {
      name: "for comparison, a plain loop in floats, profit and equity only: the 60 months",
      unit,
      runs: await measured(plain(years)),
    },
    {
      name: "the same with a fill in every 12 bars",
      unit,
      runs: await measured(plain(dense)),
    },
  ];
}

interface Grid {
  readonly lower: number;
  readonly upper: number;
  readonly levels: number;
  readonly size: number;
}

/**
 * A grid as most backtests run one: a loop over bars in floats, which looks at the nearest order on each side, books
 * profit and fees of each fill and follows equity. It keeps no ledger, no fills and no dust: what speed can cost.
 */
export function floatWalk({ lower, upper, levels, size }: Grid, candles: Candles, fee: number) {
  const unit = 10 ** -candles.scale;
  const step = (upper - lower) / levels;
  const { open, high, low, close } = candles;
  let buying = Math.floor(((open[0] as number) * unit - lower) / step);
  let [cash, base, cycles] = [0, 0, 0];
  let [peak, drawdown] = [0, 0];
  const moveTo = (price: number): void => {
    while (buying > 0 && price < lower + (buying - 1) * step) {
      buying--;
      const at = lower + buying * step;
      cash -= size * (1 + fee);
      base += size / at;
    }
    while (buying < levels && price > lower + (buying + 1) * step) {
      const at = lower + buying * step;
      cash += (size / at) * (at + step) * (1 - fee);
      base -= size / at;
      buying++;
      cycles++;
    }
  };
  for (let bar = 0; bar < close.length; bar++) {
    const [o, h] = [(open[bar] as number) * unit, (high[bar] as number) * unit];
    const [l, c] = [(low[bar] as number) * unit, (close[bar] as number) * unit];
    const highFirst = h - o < o - l;
    moveTo(o);
    moveTo(highFirst ? h : l);
    moveTo(highFirst ? l : h);
    moveTo(c);
    const equity = cash + base * c;
    if (equity > peak) peak = equity;
    else if (peak - equity > drawdown) drawdown = peak - equity;
  }
  return { cash, base, cycles, drawdown };
}
