import { profitOf } from "../grid/ledger/profit.ts";
import { type Decimal, div, mul } from "../kernel/decimal.ts";
import { DAY, type Millis } from "../kernel/time.ts";
import type { Profit } from "../model/strategy.ts";
import { float, type Held } from "./held.ts";
import type { Ticks } from "./ticks.ts";
import type { Walked } from "./walk.ts";

/** What a run has come to. Money in quote; what is measured bar by bar is measured at their closes. */
export interface Figures extends Profit {
  /** All that its slots can come to use, at the start. */
  readonly invested: Decimal;
  readonly startPrice: Decimal;
  readonly endPrice: Decimal;
  /** What the same start would have made: its base kept, and all of it in base from the beginning. */
  readonly holdingStart: Decimal;
  readonly holdingBase: Decimal;
  /** Greatest fall of equity below its highest so far, in quote and as a share of that. */
  readonly drawdown: {
    readonly amount: number;
    readonly share: number;
    readonly from: Millis;
    readonly to: Millis;
  };
  /** Mean by deviation of daily returns × √365; null of fewer than three days or without any change. */
  readonly sharpe: number | null;
  /** Bars that closed between the grid's outermost levels, as a share of all. */
  readonly timeInRange: number;
  readonly series: readonly Point[];
}

/** Equity and its price at a close; `held` is what holding all of it in base would be worth. */
export interface Point {
  readonly at: Millis;
  readonly price: number;
  readonly equity: number;
  readonly held: number;
  readonly drawdown: number;
}

const POINTS = 400;

export function figuresOf(
  { account, held, bars: count }: Pick<Walked, "account" | "held" | "bars">,
  bars: Ticks,
  invested: Decimal,
): Figures {
  const { state } = account.strategy;
  const priceAt = (ticks: number | undefined): Decimal => BigInt(ticks ?? 0) * bars.tick;
  const endPrice = priceAt(bars.close[count - 1] as number);
  const startPrice = priceAt(bars.open[0] as number);
  const moved = endPrice - startPrice;
  const profit = profitOf(state, endPrice);
  return {
    ...profit,
    invested,
    startPrice,
    endPrice,
    holdingStart: mul(state.ledger.firstBase, moved, "half"),
    holdingBase: mul(div(invested, startPrice, "half"), moved, "half"),
    ...measured(held, bars, { count, invested: float(invested) }),
  };
}

/** One walk over the closes: equity, its highest so far and how far below it lies. */
function measured(
  held: readonly Held[],
  bars: Ticks,
  { count, invested }: { count: number; invested: number },
) {
  const { times } = bars.candles;
  const tick = float(bars.tick);
  const first = (bars.open[0] as number) * tick;
  const every = Math.max(1, Math.ceil(count / POINTS));
  const series: Point[] = [];
  const days: number[] = [];
  let drawdown = { amount: 0, share: 0, from: times[0] ?? 0, to: times[0] ?? 0 };
  let [place, peak, peakAt, inside, day] = [0, invested, times[0] ?? 0, 0, -1];
  let now = held[0] as Held;
  let equity = invested;
  for (let bar = 0; bar < count; bar++) {
    while (place + 1 < held.length && (held[place + 1] as Held).bar <= bar) now = held[++place] as Held;
    const price = (bars.close[bar] as number) * tick;
    const at = times[bar] as number;
    equity = invested + now.cash + now.base * price;
    if (price >= now.low && price <= now.high) inside++;
    if (equity > peak) [peak, peakAt] = [equity, at];
    const amount = peak - equity;
    if (amount > drawdown.amount) drawdown = { amount, share: amount / peak, from: peakAt, to: at };
    if (Math.floor(at / DAY) !== day) {
      day = Math.floor(at / DAY);
      days.push(equity);
    }
    if (bar % every === 0 || bar === count - 1)
      series.push({ at, price, equity, held: (invested * price) / first, drawdown: amount / peak });
  }
  return { drawdown, sharpe: sharpeOf([...days, equity]), timeInRange: inside / Math.max(1, count), series };
}

/** Of a day's equity after the other; the risk-free return is taken as zero. */
function sharpeOf(equities: readonly number[]): number | null {
  const returns = equities.slice(1).map((equity, i) => equity / (equities[i] as number) - 1);
  if (returns.length < 3) return null;
  const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length;
  const variance = returns.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (returns.length - 1);
  return variance > 0 ? (mean / Math.sqrt(variance)) * Math.sqrt(365) : null;
}
