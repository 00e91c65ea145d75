import type { Column } from "./candles.ts";

/** One bar on its way into the columns, written again for each: prices as digits and decimals. */
export interface Scratch {
  at: number;
  /** Open, high, low, close. */
  readonly digits: Float64Array;
  readonly decimals: Int32Array;
  volume: number;
}

export const createScratch = (): Scratch => ({
  at: 0,
  digits: new Float64Array(4),
  decimals: new Int32Array(4),
  volume: 0,
});

/** The columns of what was added, without what is told of them all. */
export interface Columns {
  readonly scale: number;
  readonly times: Float64Array;
  readonly open: Column;
  readonly high: Column;
  readonly low: Column;
  readonly close: Column;
  readonly volume: Float64Array;
}

const BLOCK_BITS = 16;
const BLOCK = 1 << BLOCK_BITS;
const LARGEST_INT32 = 2 ** 31 - 1;
const MOST_DECIMALS = 18;

const POWERS = Float64Array.from({ length: MOST_DECIMALS + 1 }, (_, place) => 10 ** place);

/**
 * Columns that grow by blocks: ten million bars then take what they need and one column more, where doubling
 * would take twice. The scale is that of the price with the most decimals so far.
 */
export function createBars() {
  const times: Float64Array[] = [];
  const volumes: Float64Array[] = [];
  const prices: Column[][] = [[], [], [], []];
  let [count, scale, largest, isWide] = [0, 0, 0, false];

  const block = (): Column => (isWide ? new Float64Array(BLOCK) : new Int32Array(BLOCK));

  function grow() {
    times.push(new Float64Array(BLOCK));
    volumes.push(new Float64Array(BLOCK));
    for (const column of prices) column.push(block());
  }

  function widen() {
    isWide = true;
    for (const column of prices)
      for (const [place, one] of column.entries()) column[place] = Float64Array.from(one);
  }

  function rescale(to: number) {
    const factor = POWERS[to - scale] as number;
    largest *= factor;
    scale = to;
    if (largest > LARGEST_INT32 && !isWide) widen();
    for (const column of prices)
      for (const one of column)
        for (let row = 0; row < one.length; row++) one[row] = (one[row] as number) * factor;
  }

  /** Returns why it is no bar, and keeps nothing of it then. */
  function add(bar: Scratch): string | undefined {
    const { digits, decimals } = bar;
    const most = Math.max(
      decimals[0] as number,
      decimals[1] as number,
      decimals[2] as number,
      decimals[3] as number,
    );
    if (most > MOST_DECIMALS) return `a price has more than ${MOST_DECIMALS} decimals`;
    const target = most > scale ? most : scale;
    const open = (digits[0] as number) * (POWERS[target - (decimals[0] as number)] as number);
    const high = (digits[1] as number) * (POWERS[target - (decimals[1] as number)] as number);
    const low = (digits[2] as number) * (POWERS[target - (decimals[2] as number)] as number);
    const close = (digits[3] as number) * (POWERS[target - (decimals[3] as number)] as number);
    const reason = problemOf(open, high, low, close, bar.volume);
    if (reason) return reason;
    if (!Number.isSafeInteger(high) || largest * (POWERS[target - scale] as number) > Number.MAX_SAFE_INTEGER)
      return `its prices have more digits than can be held exactly`;
    if (target > scale) rescale(target);
    if (high > largest) largest = high;
    if (largest > LARGEST_INT32 && !isWide) widen();
    const place = count >>> BLOCK_BITS;
    const row = count & (BLOCK - 1);
    if (row === 0) grow();
    (times[place] as Float64Array)[row] = bar.at;
    (volumes[place] as Float64Array)[row] = bar.volume;
    ((prices[0] as Column[])[place] as Column)[row] = open;
    ((prices[1] as Column[])[place] as Column)[row] = high;
    ((prices[2] as Column[])[place] as Column)[row] = low;
    ((prices[3] as Column[])[place] as Column)[row] = close;
    count++;
    return undefined;
  }

  /** Empties each column's blocks into one array as it goes. */
  function columns(): Columns {
    const whole = <T extends Column>(blocks: T[], made: T): T => {
      for (const [place, one] of blocks.entries())
        made.set(one.subarray(0, Math.min(BLOCK, count - place * BLOCK)), place * BLOCK);
      blocks.length = 0;
      return made;
    };
    const price = (which: number): Column =>
      whole(prices[which] as Column[], isWide ? new Float64Array(count) : new Int32Array(count));
    return {
      scale,
      times: whole(times, new Float64Array(count)),
      volume: whole(volumes, new Float64Array(count)),
      open: price(0),
      high: price(1),
      low: price(2),
      close: price(3),
    };
  }

  return { add, columns, count: () => count };
}

function problemOf(
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number,
): string | undefined {
  if (!(low > 0)) return "its low is not above zero";
  if (!(high >= low)) return "its high is below its low";
  if (!(open >= low && open <= high)) return "its open lies outside of low and high";
  if (!(close >= low && close <= high)) return "its close lies outside of low and high";
  return volume >= 0 ? undefined : "its volume is negative or no number";
}
