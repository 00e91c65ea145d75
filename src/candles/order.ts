import type { Columns } from "./bars.ts";
import type { Column } from "./candles.ts";

/** Corrected problems of the order; no value was changed. */
export interface Ordered extends Columns {
  /** Whether the rows were already in order. */
  readonly isSorted: boolean;
  /** Number of rows that repeat an identical bar. */
  readonly duplicates: number;
  /** Number of skipped rows with a different bar for an existing time. */
  readonly conflicts: number;
}

/** Sorts bars by time and removes duplicates. `onConflict` decides about two different bars of one time, and can throw. */
export function inOrder(columns: Columns, onConflict: (at: number) => void): Ordered {
  const { times } = columns;
  let [ascends, strictly] = [true, true];
  for (let row = 1; row < times.length; row++) {
    const step = (times[row] as number) - (times[row - 1] as number);
    if (step < 0) ascends = false;
    if (step <= 0) strictly = false;
  }
  if (strictly) return { ...columns, isSorted: false, duplicates: 0, conflicts: 0 };
  const order = orderOf(times, ascends);
  let conflicts = 0;
  const kept = onceEach(columns, order, (at) => {
    onConflict(at);
    conflicts++;
  });
  const picked = <T extends Column>(column: T): T => {
    const made = (
      column instanceof Int32Array ? new Int32Array(kept.length) : new Float64Array(kept.length)
    ) as T;
    for (let row = 0; row < kept.length; row++) made[row] = column[kept[row] as number] as number;
    return made;
  };
  const duplicates = times.length - kept.length - conflicts;
  return {
    scale: columns.scale,
    times: picked(times),
    open: picked(columns.open),
    high: picked(columns.high),
    low: picked(columns.low),
    close: picked(columns.close),
    volume: picked(columns.volume),
    isSorted: !ascends,
    duplicates,
    conflicts,
  };
}

/** Returns rows sorted by time; rows of one time keep the file's order. */
function orderOf(times: Float64Array, ascends: boolean): Uint32Array {
  const order = Uint32Array.from({ length: times.length }, (_, row) => row);
  if (ascends) return order;
  // Newest first is the most common other order, and needs no sorting.
  const descends = times.every((at, row) => row === 0 || at < (times[row - 1] as number));
  if (descends) return order.reverse();
  return order.sort((a, b) => (times[a] as number) - (times[b] as number) || a - b);
}

function onceEach(columns: Columns, order: Uint32Array, onConflict: (at: number) => void): Uint32Array {
  const { times } = columns;
  let count = 0;
  for (let index = 0; index < order.length; index++) {
    const row = order[index] as number;
    const before = order[count - 1];
    if (count > 0 && times[before as number] === times[row]) {
      if (!isSameBar(columns, before as number, row)) onConflict(times[row] as number);
      continue;
    }
    order[count++] = row;
  }
  return order.subarray(0, count);
}

export const isSameBar = (columns: Columns, a: number, b: number): boolean =>
  (["open", "high", "low", "close", "volume"] as const).every(
    (name) => columns[name][a] === columns[name][b],
  );
