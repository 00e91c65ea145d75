import { readTime, timeProblem } from "../kernel/read-time.ts";
import { MINUTE, type Millis, stampOf } from "../kernel/time.ts";
import { type BarBuffer, type Columns, createBars, createScratch, inOrder } from "./bars.ts";
import type { Candles } from "./candles.ts";
import { type Figure, readNearest, readNumber, textOf, whyUnread } from "./fields.ts";
import { type ColumnOptions, createColumns, type Layout } from "./layout.ts";
import { createRows, type Row, type RowShape, rowPlace } from "./rows.ts";

export interface ReadOptions extends ColumnOptions {
  /** Length of a bar; default: the smallest distance of two bars, or a minute for trades. */
  readonly spanMillis?: Millis | undefined;
  /** Time of reading: data from more than a day after it have another unit or clock. Default: not checked. */
  readonly now?: Millis | undefined;
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

const MAX_REFUSED_ROWS_SHOWN = 5;
const MAX_CHARACTERS_SHOWN = 80;

/**
 * Reads candles, or builds them from trades, from the bytes of a table or JSON file as they arrive; see layout.ts for
 * the formats. Throws RangeError with the invalid row.
 */
export function createReader(options: ReadOptions) {
  const { pair, spanMillis, skipRefused = false, mayBeEmpty = false, now } = options;
  const columns = createColumns(options);
  const bars = createBars();
  const refused: Refused[] = [];
  let refusedRows = 0;
  const { candle, trade, trades } = createFields(bars, { spanMillis, now }, refuseBar);

  function refuseBar(at: Millis, reason: string): void {
    if (!skipRefused) throw new RangeError(`the candle of ${stampOf(at)}: ${reason}`);
    refusedRows++;
    if (refused.length < MAX_REFUSED_ROWS_SHOWN) refused.push({ row: stampOf(at), reason });
  }

  function refuse(row: Row, shape: RowShape, reason: string): void {
    const [from, to] = [row.starts[0] as number, row.ends[row.count - 1] as number];
    const place = rowPlace(row.line, shape);
    const shown = textOf(row.bytes, from, Math.min(to, from + MAX_CHARACTERS_SHOWN));
    if (!skipRefused) throw new RangeError(`${place}: ${reason}: ${shown}`);
    refusedRows++;
    if (refused.length < MAX_REFUSED_ROWS_SHOWN) refused.push({ row: place, reason });
  }

  const rows = createRows((row, shape) => {
    const layout = row.count === 0 ? undefined : columns.layoutOf(row, shape);
    if (!layout) return columns.isFound();
    const reason =
      columns.misfit(row, shape) ?? (layout.kind === "candles" ? candle(row, layout) : trade(row, layout));
    if (reason) refuse(row, shape, reason);
    return true;
  });

  function end(): Reading {
    rows.end();
    trades.end();
    const layout = columns.layout();
    if (bars.count() === 0 && !mayBeEmpty) throw new RangeError(emptyReason(refused, layout));
    const isOfTrades = layout?.kind === "trades";
    const { isSorted, duplicates, conflicts, ...sorted } = inOrder(bars.columns(), (at) => {
      const reason = `there are two different candles of ${stampOf(at)}`;
      if (!skipRefused) throw new RangeError(reason);
      if (refused.length < MAX_REFUSED_ROWS_SHOWN) refused.push({ row: stampOf(at), reason });
    });
    const span = spanMillis ?? (isOfTrades ? MINUTE : shortestSpan(sorted));
    checkSpan(sorted, span);
    return {
      candles: { pair, spanMillis: span, from: sorted.times[0] ?? 0, ...sorted },
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
  { spanMillis, now = Number.POSITIVE_INFINITY }: Pick<ReadOptions, "spanMillis" | "now">,
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
    const at = timeAt(row, of.at);
    const problem = timeProblem(at, now);
    if (at === undefined || problem) return problem;
    bar.at = at;
    for (let which = 0; which < 4; which++) {
      const index = of.prices[which] as number;
      if (index >= row.count) return "it has too few fields";
      if (!readPrice(row, index, figure))
        return `its ${PRICE_NAMES[which]} ${whyPriceUnread(row, index, "of at least zero")}`;
      bar.digits[which] = figure.digits;
      bar.decimals[which] = figure.decimals;
    }
    const volume = of.volume < 0 ? 0 : amountAt(row, of.volume, figure);
    if (volume === undefined) return "its volume is not a number of at least zero";
    bar.volume = volume;
    return bars.add(bar);
  }

  function trade(row: Row, of: Extract<Layout, { kind: "trades" }>): string | undefined {
    const at = timeAt(row, of.at);
    const problem = timeProblem(at, now);
    if (at === undefined || problem) return problem;
    const amount = of.amount < 0 ? 0 : amountAt(row, of.amount, figure);
    if (amount === undefined) return "its amount is not a number of at least zero";
    if (!readPrice(row, of.price, figure) || figure.digits === 0)
      return `its price ${whyPriceUnread(row, of.price, "above zero")}`;
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

const timeAt = (row: Row, index: number): number | undefined =>
  index < row.count ? readTime(row.bytes, row.starts[index] as number, row.ends[index] as number) : undefined;

function readPrice(row: Row, index: number, figure: Figure): boolean {
  if (index >= row.count) return false;
  return readNumber(row.bytes, row.starts[index] as number, row.ends[index] as number, figure);
}

const whyPriceUnread = (row: Row, index: number, least: string): string =>
  index >= row.count
    ? `is not a number ${least}`
    : whyUnread(row.bytes, row.starts[index] as number, row.ends[index] as number, least);

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

/** Bars that a source lacks: from the end of one bar to the start of another. */
export interface Gap {
  readonly from: Millis;
  readonly until: Millis;
  readonly bars: number;
}

/** A row that was excluded. */
export interface Refused {
  readonly row: string;
  readonly reason: string;
}

/** Data behind a result. Nothing is filled in: a missing bar is a gap. */
export interface Coverage {
  readonly bars: number;
  /** Start of the first bar and end of the last one; both 0 without bars. */
  readonly from: Millis;
  readonly until: Millis;
  readonly gaps: number;
  readonly missingBars: number;
  readonly longestGap: Gap | null;
  /** Number of rows that repeat an identical bar. */
  readonly duplicates: number;
  /** Number of invalid rows that were skipped, and the first of them. */
  readonly refusedRows: number;
  readonly refused: readonly Refused[];
  /** Hash of pair, span and every bar: the same data have the same hash, whatever their source. */
  readonly hash: string;
}

/** Rows of a file that are not in its data. */
export type CountedRows = Pick<Coverage, "duplicates" | "refusedRows" | "refused">;

export function coverageOf(
  candles: Candles,
  { duplicates, refusedRows, refused, hash }: CountedRows & Pick<Coverage, "hash">,
): Coverage {
  const gaps = gapsOf(candles);
  const longest = gaps.reduce<Gap | null>((most, gap) => (most && most.bars >= gap.bars ? most : gap), null);
  const last = candles.times.at(-1);
  return {
    bars: candles.times.length,
    from: candles.times[0] ?? 0,
    until: last === undefined ? 0 : last + candles.spanMillis,
    gaps: gaps.length,
    missingBars: gaps.reduce((total, { bars }) => total + bars, 0),
    longestGap: longest,
    duplicates,
    refusedRows,
    refused,
    hash,
  };
}

/** Returns every gap between the first and the last bar. */
export function gapsOf({ times, spanMillis }: Pick<Candles, "times" | "spanMillis">): Gap[] {
  const gaps: Gap[] = [];
  for (let row = 1; row < times.length; row++) {
    const step = (times[row] as number) - (times[row - 1] as number);
    if (step <= spanMillis) continue;
    const bars = Math.max(1, Math.round(step / spanMillis) - 1);
    gaps.push({ from: (times[row - 1] as number) + spanMillis, until: times[row] as number, bars });
  }
  return gaps;
}

const [OPEN, HIGH, LOW, CLOSE] = [0, 1, 2, 3] as const;

/** Compares two prices exactly by digits and decimals. */
const isAbove = (bar: BarBuffer, index: number, { digits, decimals }: Figure): boolean => {
  const own = bar.digits[index] as number;
  const shift = decimals - (bar.decimals[index] as number);
  return shift >= 0 ? own * 10 ** shift > digits : own > digits * 10 ** -shift;
};
const isBelow = (bar: BarBuffer, index: number, { digits, decimals }: Figure): boolean => {
  const own = bar.digits[index] as number;
  const shift = decimals - (bar.decimals[index] as number);
  return shift >= 0 ? own * 10 ** shift < digits : own < digits * 10 ** -shift;
};

function set(bar: BarBuffer, index: number, { digits, decimals }: Figure): void {
  bar.digits[index] = digits;
  bar.decimals[index] = decimals;
}

/**
 * Builds bars from trades in ascending order: from the first trade of a span to its last. A span without trades has
 * no bar. `onBar` receives the same reused object.
 */
function createTradeBars(spanMillis: number, bar: BarBuffer, onBar: () => void) {
  let isOpen = false;

  /** Adds a trade; returns why it is invalid. */
  function add(at: number, price: Figure, amount: number): string | undefined {
    const from = Math.floor(at / spanMillis) * spanMillis;
    if (isOpen && from < bar.at)
      return "it is earlier than the previous trade; trades must be in order of time";
    if (isOpen && from > bar.at) end();
    if (!isOpen) {
      isOpen = true;
      bar.at = from;
      bar.volume = 0;
      for (const place of [OPEN, HIGH, LOW]) set(bar, place, price);
    } else {
      if (isBelow(bar, HIGH, price)) set(bar, HIGH, price);
      if (isAbove(bar, LOW, price)) set(bar, LOW, price);
    }
    set(bar, CLOSE, price);
    bar.volume += amount;
    return undefined;
  }

  function end(): void {
    if (isOpen) onBar();
    isOpen = false;
  }

  return { add, end };
}
