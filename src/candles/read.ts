import type { Pair } from "../kernel/pair.ts";
import { MINUTE, type Millis, stampOf } from "../kernel/time.ts";
import { type Columns, createBars, createScratch } from "./bars.ts";
import type { Candles } from "./candles.ts";
import type { CountedRows, Refused } from "./coverage.ts";
import { type Figure, readNearest, readNumber, readTime, textOf } from "./figures.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { inOrder } from "./order.ts";
import { createRows, type Row, type RowShape, rowPlace } from "./rows.ts";
import { createTradeBars } from "./trades.ts";

export interface ReadOptions {
  readonly pair: Pair;
  /** Length of a bar; default: the smallest distance of two bars, or a minute for trades. */
  readonly spanMillis?: Millis | undefined;
  /** Whether to skip and count invalid rows; otherwise the first one is an error. */
  readonly skipRefused?: boolean;
  /** Whether all rows can be invalid; otherwise a file without a candle is an error. */
  readonly mayBeEmpty?: boolean;
}

/** Data read from a file. */
export interface Reading extends CountedRows {
  readonly candles: Candles;
  /** Whether its rows were out of order. */
  readonly wasUnsorted: boolean;
}

const MOST_REFUSED_SHOWN = 5;
const MOST_SHOWN = 80;
/** Maximum number of lines above a table's header. */
const MOST_PREFACE = 5;

/**
 * Reads candles, or builds them from trades, from the bytes of a table or JSON file as they arrive; see layout.ts for
 * the formats. Throws RangeError with the invalid row.
 */
export function createReader({ pair, spanMillis, skipRefused = false, mayBeEmpty = false }: ReadOptions) {
  const bars = createBars();
  const refused: Refused[] = [];
  let refusedRows = 0;
  let layout: Layout | undefined;
  let prefaced = 0;
  const { candle, trade, trades } = createFields(bars, spanMillis, refuseBar);

  function refuseBar(at: Millis, reason: string): void {
    if (!skipRefused) throw new RangeError(`the candle of ${stampOf(at)}: ${reason}`);
    refusedRows++;
    if (refused.length < MOST_REFUSED_SHOWN) refused.push({ row: stampOf(at), reason });
  }

  function refuse(row: Row, shape: RowShape, reason: string): void {
    const [from, to] = [row.starts[0] as number, row.ends[row.count - 1] as number];
    const place = rowPlace(row.line, shape);
    const shown = textOf(row.bytes, from, Math.min(to, from + MOST_SHOWN));
    if (!skipRefused) throw new RangeError(`${place}: ${reason}: ${shown}`);
    refusedRows++;
    if (refused.length < MOST_REFUSED_SHOWN) refused.push({ row: place, reason });
  }

  function begin(row: Row, shape: RowShape): boolean {
    const found = layoutOf(row, shape);
    if (found) {
      layout = found.layout;
      return !found.isNames;
    }
    if (shape === "json" || ++prefaced > MOST_PREFACE)
      throw new RangeError(
        `${rowPlace(row.line, shape)}: neither a candle nor column names (timestamp, open, high, low, close, volume)`,
      );
    return false;
  }

  const rows = createRows((row, shape) => {
    if (row.count === 0 || (!layout && !begin(row, shape)) || !layout) return;
    const reason = layout.kind === "candles" ? candle(row, layout) : trade(row, layout);
    if (reason) refuse(row, shape, reason);
  });

  function end(): Reading {
    rows.end();
    trades.end();
    if (bars.count() === 0 && !mayBeEmpty) throw new RangeError(emptyReason(refused, layout));
    const isOfTrades = layout?.kind === "trades";
    const { isSorted, duplicates, conflicts, ...columns } = inOrder(bars.columns(), (at) => {
      const reason = `there are two different candles of ${stampOf(at)}`;
      if (!skipRefused) throw new RangeError(reason);
      if (refused.length < MOST_REFUSED_SHOWN) refused.push({ row: stampOf(at), reason });
    });
    const span = spanMillis ?? (isOfTrades ? MINUTE : shortestSpan(columns));
    checkSpan(columns, span);
    return {
      candles: { pair, spanMillis: span, from: columns.times[0] ?? 0, ...columns },
      duplicates,
      refusedRows: refusedRows + conflicts,
      refused,
      wasUnsorted: isSorted,
    };
  }

  return { push: rows.push, end };
}

/** Reads rows of candles and of trades into bars; returns why a row is invalid. `refuseBar` hears of a bar of trades. */
function createFields(
  bars: ReturnType<typeof createBars>,
  spanMillis: Millis | undefined,
  refuseBar: (at: Millis, reason: string) => void,
) {
  const bar = createScratch();
  const [figure, price]: [Figure, Figure] = [
    { digits: 0, decimals: 0 },
    { digits: 0, decimals: 0 },
  ];
  const trades = createTradeBars(spanMillis ?? MINUTE, bar, () => {
    const reason = bars.add(bar);
    if (reason) refuseBar(bar.at, reason);
  });

  function candle(row: Row, of: Extract<Layout, { kind: "candles" }>): string | undefined {
    const at = timeAt(row, of.at, figure);
    if (at === undefined) return "its time cannot be read";
    bar.at = at;
    for (let which = 0; which < 4; which++) {
      const index = of.prices[which] as number;
      if (index >= row.count) return "it has too few fields";
      if (!readPrice(row, index, figure)) return `its ${PRICE_NAMES[which]} is not a number of at least zero`;
      bar.digits[which] = figure.digits;
      bar.decimals[which] = figure.decimals;
    }
    const volume = of.volume < 0 ? 0 : amountAt(row, of.volume, figure);
    if (volume === undefined) return "its volume is not a number of at least zero";
    bar.volume = volume;
    return bars.add(bar);
  }

  function trade(row: Row, of: Extract<Layout, { kind: "trades" }>): string | undefined {
    const at = timeAt(row, of.at, figure);
    if (at === undefined) return "its time cannot be read";
    const amount = of.amount < 0 ? 0 : amountAt(row, of.amount, figure);
    if (amount === undefined) return "its amount is not a number of at least zero";
    if (!readPrice(row, of.price, figure) || figure.digits === 0)
      return "its price is not a number above zero";
    price.digits = figure.digits;
    price.decimals = figure.decimals;
    return trades.add(at, price, amount);
  }

  return { candle, trade, trades };
}

const amountAt = (row: Row, index: number, figure: Figure): number | undefined =>
  index < row.count
    ? readNearest(row.bytes, row.starts[index] as number, row.ends[index] as number, figure)
    : undefined;

const timeAt = (row: Row, index: number, figure: Figure): number | undefined =>
  index < row.count
    ? readTime(row.bytes, row.starts[index] as number, row.ends[index] as number, figure)
    : undefined;

function readPrice(row: Row, index: number, figure: Figure): boolean {
  if (index >= row.count) return false;
  return readNumber(row.bytes, row.starts[index] as number, row.ends[index] as number, figure);
}

const PRICE_NAMES = ["open", "high", "low", "close"] as const;

const emptyReason = (refused: readonly Refused[], layout: Layout | undefined): string => {
  const [first] = refused;
  if (first) return `there is no candle among the rows; ${first.row}: ${first.reason}`;
  return layout ? "there are column names but no candles" : "it is empty";
};

function shortestSpan({ times }: Columns): Millis {
  let least = Number.POSITIVE_INFINITY;
  for (let row = 1; row < times.length; row++)
    least = Math.min(least, (times[row] as number) - (times[row - 1] as number));
  if (!Number.isFinite(least))
    throw new RangeError(
      "the length of a single candle is unknown; name it with `edgemaker candles import --span`",
    );
  return least;
}

function checkSpan({ times }: Columns, span: Millis): void {
  for (let row = 1; row < times.length; row++) {
    const after = (times[row] as number) - (times[row - 1] as number);
    if (after < span)
      throw new RangeError(
        `the candle of ${stampOf(times[row] as number)} begins ${after / 1000} s after the previous one, but candles last ${span / 1000} s`,
      );
  }
}
