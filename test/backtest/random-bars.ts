import { type Candles, candlesIn } from "../../src/candles/candles.ts";
import { MINUTE } from "../../src/kernel/time.ts";

const START = 1_640_995_200_000;

/** Bars of a walk from 10,000 on, by whole numbers of a seed. */
export function randomCandles(seed: number, count: number, width: number): Candles {
  let state = seed >>> 0;
  const next = (most: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 0x100000000) * most);
  };
  const column = () => new Float64Array(count);
  const [times, open, high, low, close, volume] = [
    column(),
    column(),
    column(),
    column(),
    column(),
    column(),
  ];
  let price = 10_000;
  for (let i = 0; i < count; i++) {
    times[i] = START + i * MINUTE;
    open[i] = Math.max(100, price + next(2 * width + 1) - width);
    close[i] = Math.max(100, (open[i] as number) + next(6 * width + 1) - 3 * width);
    high[i] = Math.max(open[i] as number, close[i] as number) + next(3 * width);
    low[i] = Math.max(50, Math.min(open[i] as number, close[i] as number) - next(3 * width));
    // Back towards the middle, so that a grid is crossed again and again.
    price = (close[i] as number) + Math.round((10_000 - (close[i] as number)) / 50);
  }
  return candlesIn({ pair: "BTC/USDT", spanMillis: MINUTE, scale: 0, times, open, high, low, close, volume });
}
