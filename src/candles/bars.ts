import { type Candles, type Column, MAX_INT32, MAX_PRICE_DECIMALS, rowProblem } from "./candles.ts";

/** Buffer for one bar that is added to the columns and reused: prices as digits and decimals. */
export interface BarBuffer {
  at: number;
  /** Open, high, low, close. */
  readonly digits: Float64Array;
  readonly decimals: Int32Array;
  volume: number;
}

export const createScratch = (): BarBuffer => ({
  at: 0,
  digits: new Float64Array(4),
  decimals: new Int32Array(4),
  volume: 0,
});

/** The columns of the added bars, without data about all of them. */
export type Columns = Omit<Candles, "pair" | "spanMillis" | "from">;

/** Initial number of rows, and the factor of growth. */
const FIRST_ROOM = 1 << 16;
const MORE = 4;

const POWERS = Float64Array.from({ length: MAX_PRICE_DECIMALS + 1 }, (_, index) => 10 ** index);

/**
 * Creates columns with room for more rows: unused room takes no memory, and the smaller columns before them are at
 * most a third. The scale is that of the price with the most decimals so far.
 */
export function createBars() {
  let [count, room, scale, largest, isWide] = [0, 0, 0, 0, false];
  let [times, volumes] = [new Float64Array(0), new Float64Array(0)];
  let prices: readonly Column[] = [0, 1, 2, 3].map(() => new Int32Array(0));

  function grow() {
    room = Math.max(FIRST_ROOM, MORE * room);
    times = larger(times, new Float64Array(room));
    volumes = larger(volumes, new Float64Array(room));
    prices = prices.map((column) => larger(column, isWide ? new Float64Array(room) : new Int32Array(room)));
  }

  function widen() {
    isWide = true;
    prices = prices.map((column) => larger(column.subarray(0, count), new Float64Array(room)));
  }

  function rescale(to: number) {
    const factor = POWERS[to - scale] as number;
    largest *= factor;
    scale = to;
    if (largest > MAX_INT32 && !isWide) widen();
    for (const column of prices)
      for (let row = 0; row < count; row++) column[row] = (column[row] as number) * factor;
  }

  /** Adds a bar; returns why it is invalid, and then adds nothing. */
  function add(bar: BarBuffer): string | undefined {
    const { digits, decimals } = bar;
    const most = Math.max(
      decimals[0] as number,
      decimals[1] as number,
      decimals[2] as number,
      decimals[3] as number,
    );
    if (most > MAX_PRICE_DECIMALS) return `a price has more than ${MAX_PRICE_DECIMALS} decimals`;
    const target = most > scale ? most : scale;
    const open = (digits[0] as number) * (POWERS[target - (decimals[0] as number)] as number);
    const high = (digits[1] as number) * (POWERS[target - (decimals[1] as number)] as number);
    const low = (digits[2] as number) * (POWERS[target - (decimals[2] as number)] as number);
    const close = (digits[3] as number) * (POWERS[target - (decimals[3] as number)] as number);
    const reason = rowProblem(open, high, low, close, bar.volume);
    if (reason) return reason;
    if (!Number.isSafeInteger(high) || largest * (POWERS[target - scale] as number) > Number.MAX_SAFE_INTEGER)
      return `its prices have more digits than can be stored exactly`;
    if (target > scale) rescale(target);
    if (high > largest) largest = high;
    if (largest > MAX_INT32 && !isWide) widen();
    if (count === room) grow();
    times[count] = bar.at;
    volumes[count] = bar.volume;
    (prices[0] as Column)[count] = open;
    (prices[1] as Column)[count] = high;
    (prices[2] as Column)[count] = low;
    (prices[3] as Column)[count] = close;
    count++;
    return undefined;
  }

  function columns(): Columns {
    const price = (which: number): Column => (prices[which] as Column).subarray(0, count);
    return {
      scale,
      times: times.subarray(0, count),
      volume: volumes.subarray(0, count),
      open: price(0),
      high: price(1),
      low: price(2),
      close: price(3),
    };
  }

  return { add, columns, count: () => count };
}

function larger<T extends Column>(column: Column, into: T): T {
  into.set(column);
  return into;
}

/** Corrected problems of the order; no value was changed. */
interface Ordered extends Columns {
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

const isSameBar = (columns: Columns, a: number, b: number): boolean =>
  (["open", "high", "low", "close", "volume"] as const).every(
    (name) => columns[name][a] === columns[name][b],
  );
