import { inOrder } from "./bars.ts";
import type { Candles, Column } from "./candles.ts";
import { narrowed } from "./hash.ts";

interface MergedCandles {
  readonly candles: Candles;
  /** Number of identical bars that both have. */
  readonly duplicates: number;
  /** Number of bars that both have with different values; the first one's stay. */
  readonly conflicts: number;
}

/** Merges the bars of both, of one pair and span, in ascending order. */
export function merge(first: Candles, second: Candles): MergedCandles {
  if (first.pair !== second.pair || first.spanMillis !== second.spanMillis)
    throw new RangeError("candles of different pairs or lengths cannot be merged");
  const scale = Math.max(first.scale, second.scale);
  const both = (name: "open" | "high" | "low" | "close"): Column =>
    joinedColumns(
      scaledColumn(first[name], scale - first.scale),
      scaledColumn(second[name], scale - second.scale),
    );
  const columns = {
    scale,
    times: joinedColumns(first.times, second.times) as Float64Array,
    volume: joinedColumns(first.volume, second.volume) as Float64Array,
    open: both("open"),
    high: both("high"),
    low: both("low"),
    close: both("close"),
  };
  const { isSorted: _, duplicates, conflicts, ...ordered } = inOrder(columns, () => undefined);
  const candles = narrowed({ ...first, ...ordered, from: ordered.times[0] ?? 0 });
  return { candles, duplicates, conflicts };
}

const scaledColumn = (column: Column, decimals: number): Column =>
  decimals === 0 ? column : Float64Array.from(column, (value) => value * 10 ** decimals);

function joinedColumns(first: Column, second: Column): Column {
  const length = first.length + second.length;
  const isNarrow = first instanceof Int32Array && second instanceof Int32Array;
  const made = isNarrow ? new Int32Array(length) : new Float64Array(length);
  made.set(first);
  made.set(second, first.length);
  return made;
}
