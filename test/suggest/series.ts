import { type Candles, candlesIn } from "../../src/candles/candles.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { hashText, pseudorandomShare } from "../../src/kernel/hash.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import type { Market } from "../../src/model/market.ts";

export const market: Market = {
  symbol: "BTC/USDT",
  base: "BTC",
  quote: "USDT",
  active: true,
  buyFeeIn: "quote",
  tick: decimal("0.01"),
  lot: decimal("0.00001"),
  minAmount: 0n,
  minNotional: decimal("1"),
  maker: decimal("0.001"),
  taker: decimal("0.001"),
};

/**
 * Minutes of a price whose logarithm takes four normal steps of 0.06 % a minute; before each it keeps so much of its
 * distance from where it began: 1 is a random walk, less comes back.
 */
export function minutesOf(seed: number, { bars, keeps }: { bars: number; keeps: number }): Candles {
  const hash = hashText(`series ${seed}`);
  const column = () => new Float64Array(bars);
  const [times, open, high, low, close] = [column(), column(), column(), column(), column()];
  let [place, log] = [0, 0];
  const normal = () => {
    const radius = Math.sqrt(-2 * Math.log(1 - pseudorandomShare(hash, place++)));
    return radius * Math.cos(2 * Math.PI * pseudorandomShare(hash, place++));
  };
  for (let bar = 0; bar < bars; bar++) {
    const prices = [0, 1, 2, 3, 4].map((corner) => {
      if (corner > 0) log = log * keeps + normal() * 0.0006;
      return Math.round(5_000_000 * Math.exp(log));
    });
    times[bar] = Date.UTC(2022, 0, 1) + bar * MINUTE;
    open[bar] = prices[0] as number;
    close[bar] = prices[4] as number;
    high[bar] = Math.max(...prices);
    low[bar] = Math.min(...prices);
  }
  const volume = column().fill(1);
  return candlesIn({ pair: "BTC/USDT", spanMillis: MINUTE, scale: 2, times, open, high, low, close, volume });
}
