import type { Candles } from "../../src/candles/candles.ts";

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
