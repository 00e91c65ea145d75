import { type Decimal, parseDecimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";

/** Whole numbers: 32 bits if all prices fit, otherwise exact doubles. */
export type Column = Int32Array | Float64Array;

/**
 * Candles of one pair in columns, oldest first. A price is a whole number of 10^-scale in quote: 47123.5 at a scale
 * of 2 is 4712350. Bars can be missing (`times` has gaps), but are never duplicated or out of order.
 */
export interface Candles {
  readonly pair: Pair;
  /** Length of a bar. */
  readonly spanMillis: Millis;
  /** Opening time of the first bar; 0 without bars. */
  readonly from: Millis;
  /** Decimals of the prices. */
  readonly scale: number;
  /** Opening times. */
  readonly times: Float64Array;
  readonly open: Column;
  readonly high: Column;
  readonly low: Column;
  readonly close: Column;
  /** Base traded; for display only. */
  readonly volume: Float64Array;
}

export const PRICES = ["open", "high", "low", "close"] as const;
type Prices<Price> = Readonly<Record<(typeof PRICES)[number], Price>>;

/** One bar from its source, with prices in plain decimal text. */
export interface CandleRow extends Prices<string> {
  readonly at: Millis;
  readonly volume: number;
}

/** Error in a bar, with its position among the rows. */
class CandleError extends RangeError {
  readonly row: number;
  readonly reason: string;

  constructor(row: number, reason: string) {
    super(`candle ${row + 1}: ${reason}`);
    this.row = row;
    this.reason = reason;
  }
}

/** Above this value a column contains doubles. */
export const MAX_INT32 = 2 ** 31 - 1;
/** Maximum number of decimals of a price. */
export const MAX_PRICE_DECIMALS = 18;

/** Converts rows to columns. Throws CandleError at the first row that is not a valid next bar. */
export const candlesOf = (
  series: Pick<Candles, "pair" | "spanMillis">,
  rows: readonly CandleRow[],
): Candles =>
  candlesOfPrices(
    series,
    rows.map(({ open, high, low, close, ...rest }, row) => ({
      ...rest,
      open: parseCandlePrice(open, row),
      high: parseCandlePrice(high, row),
      low: parseCandlePrice(low, row),
      close: parseCandlePrice(close, row),
    })),
  );

/** One parsed bar of an exchange. */
export type PricedCandle = Pick<CandleRow, "at" | "volume"> & Prices<Decimal>;

/** Does the same for parsed prices. */
export function candlesOfPrices(
  { pair, spanMillis }: Pick<Candles, "pair" | "spanMillis">,
  rows: readonly PricedCandle[],
): Candles {
  // The coarsest unit of which all prices are multiples.
  let [scale, unit] = [0, 10n ** BigInt(MAX_PRICE_DECIMALS)];
  for (const row of rows)
    for (const name of PRICES)
      while (row[name] % unit !== 0n) {
        scale++;
        unit /= 10n;
      }
  const column = () => new Float64Array(rows.length);
  const [times, volume] = [column(), column()];
  const prices = { open: column(), high: column(), low: column(), close: column() };
  for (const [i, row] of rows.entries()) {
    times[i] = row.at;
    volume[i] = row.volume;
    for (const name of PRICES) prices[name][i] = Number(row[name] / unit);
  }
  return candlesIn({ pair, spanMillis, scale, times, volume, ...prices });
}

/** Builds candles from columns, each narrowed if it fits. Throws CandleError. */
export function candlesIn(columns: Omit<Candles, "from">): Candles {
  const { times, open, high, low, close, spanMillis, volume } = columns;
  if (!(spanMillis > 0)) throw new RangeError("a candle must have a positive length");
  let highest = 0;
  for (let i = 0; i < times.length; i++) {
    const reason = barProblem({
      at: times[i] as number,
      before: i === 0 ? -Infinity : (times[i - 1] as number),
      spanMillis,
      open: open[i] as number,
      high: high[i] as number,
      low: low[i] as number,
      close: close[i] as number,
      volume: volume[i] as number,
    });
    if (reason) throw new CandleError(i, reason);
    if ((high[i] as number) > highest) highest = high[i] as number;
  }
  const narrow = (column: Column): Column =>
    highest <= MAX_INT32 && !(column instanceof Int32Array) ? Int32Array.from(column) : column;
  return {
    ...columns,
    from: times[0] ?? 0,
    open: narrow(open),
    high: narrow(high),
    low: narrow(low),
    close: narrow(close),
  };
}

interface Bar extends Prices<number> {
  readonly at: Millis;
  readonly before: Millis;
  readonly spanMillis: Millis;
  readonly volume: number;
}

function barProblem({ at, before, spanMillis, open, high, low, close, volume }: Bar): string | undefined {
  if (!Number.isSafeInteger(at) || at < 0) return "its time is not a whole number of milliseconds";
  if (at === before) return "it has the same time as the previous one";
  if (at < before) return "it is earlier than the previous one";
  if (at - before < spanMillis) return "it begins before the previous one has ended";
  if (low > 0 && !Number.isSafeInteger(high)) return "its high is too large to be stored exactly";
  return rowProblem(open, high, low, close, volume);
}

export function rowProblem(
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number,
): string | undefined {
  if (!(low > 0)) return "its low is not above zero";
  if (!(high >= low)) return "its high is below its low";
  if (!(open >= low && open <= high)) return "its open is outside low and high";
  if (!(close >= low && close <= high)) return "its close is outside low and high";
  return volume >= 0 ? undefined : "its volume is negative or not a number";
}

function parseCandlePrice(text: string, row: number): Decimal {
  const price = parseDecimal(text);
  if (price === undefined) throw new CandleError(row, `${text.slice(0, 40)} is not a price`);
  return price;
}

/** Returns the bars from one time to before another, in the same memory. */
export function slice(candles: Candles, since: Millis, until: Millis): Candles {
  const [first, end] = [indexAt(candles, since), indexAt(candles, until)];
  const part = (column: Column) => column.subarray(first, Math.max(first, end));
  return {
    ...candles,
    from: first < end ? (candles.times[first] as number) : 0,
    times: candles.times.subarray(first, Math.max(first, end)),
    volume: candles.volume.subarray(first, Math.max(first, end)),
    open: part(candles.open),
    high: part(candles.high),
    low: part(candles.low),
    close: part(candles.close),
  };
}

/** Returns the first bar that opens at or after a time. */
export function indexAt({ times }: Pick<Candles, "times">, at: Millis): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) >= at) high = middle;
    else low = middle + 1;
  }
  return low;
}
