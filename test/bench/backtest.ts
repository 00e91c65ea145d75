import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { backtest } from "../../src/backtest/backtest.ts";
import { ticksOf } from "../../src/backtest/ticks.ts";
import { type Candles, candlesIn } from "../../src/candles/candles.ts";
import { createReader } from "../../src/candles/read.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { market as marketOf } from "../support/grid.ts";
import { type Figure, repeat } from "./figure.ts";

const FILE = "../shared/data/btc-usd-2022-01-1m.csv.gz";
const MONTHS = 60;

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

/** Bars a second of a grid of 40 slots, its whole ledger and all figures, on one core. */
export async function backtestFigures(): Promise<Figure[]> {
  if (!existsSync(FILE)) return [];
  const reader = createReader({ pair: "BTC/USDT" });
  reader.push(gunzipSync(readFileSync(FILE)));
  const month = reader.end().candles;
  const years = repeated(month, MONTHS);
  const market = marketOf({ tick: decimal("0.1") });
  ticksOf(years, market.tick);
  ticksOf(month, market.tick);
  const of = (candles: Candles, engine: "walk" | "jump", width: string) => async () => {
    const asked = {
      lowerPrice: decimal("33000"),
      upperPrice: decimal("48000"),
      gridLevels: 40,
      orderSize: decimal(width),
    };
    const begun = performance.now();
    const { bars } = backtest(asked, candles, { market, engine });
    return bars / ((performance.now() - begun) / 1000) / 1e6;
  };
  return [
    {
      name: "backtest in whole numbers, 40 slots, a real month of minutes 60 times over",
      unit: "M bars/s",
      runs: await repeat(of(years, "jump", "500")),
      goal: "≥ 100 M",
    },
    {
      name: "backtest by the step's own passes, 40 slots, a real month of minutes",
      unit: "M bars/s",
      runs: await repeat(of(month, "walk", "500")),
      goal: "≥ 0.2 M",
    },
  ];
}
