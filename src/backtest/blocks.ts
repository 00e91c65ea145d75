import type { Column } from "../candles/candles.ts";

/** The extremes of blocks of bars. */
export interface Blocks {
  readonly high: Column;
  readonly low: Column;
}

/** Of closes also the greatest fall from one bar to a later one of the same block. */
export interface CloseBlocks extends Blocks {
  readonly fall: Column;
}

/** Blocks of 8 bars, of 64 and of 4,096. */
export type Levels<T> = readonly [tiny: T, small: T, large: T];

export function levelsOf<T extends Blocks>(
  bars: Blocks,
  make: (inner: Blocks | T, size: number) => T,
): Levels<T> {
  const tiny = make(bars, 8);
  const small = make(tiny, 8);
  return [tiny, small, make(small, 64)];
}

/** Of bars, or of smaller blocks, so many in each. */
export function blocksOf({ high, low }: Blocks, size: number): Blocks {
  const count = Math.ceil(high.length / size);
  const blocks = { high: columnLike(high, count), low: columnLike(low, count) };
  for (let block = 0; block < count; block++) {
    const from = block * size;
    const end = Math.min(high.length, from + size);
    let most = high[from] as number;
    let least = low[from] as number;
    for (let i = from + 1; i < end; i++) {
      if ((high[i] as number) > most) most = high[i] as number;
      if ((low[i] as number) < least) least = low[i] as number;
    }
    blocks.high[block] = most;
    blocks.low[block] = least;
  }
  return blocks;
}

/** Of closes, or of their blocks. */
export function closeBlocksOf(inner: Blocks & { readonly fall?: Column }, size: number): CloseBlocks {
  const { high, low, fall } = inner;
  const blocks = { ...blocksOf(inner, size), fall: columnLike(high, Math.ceil(high.length / size)) };
  for (let block = 0; block < blocks.fall.length; block++) {
    const from = block * size;
    const end = Math.min(high.length, from + size);
    let most = high[from] as number;
    let fell = 0;
    for (let i = from; i < end; i++) {
      const within = fall ? (fall[i] as number) : 0;
      const between = most - (low[i] as number);
      if (within > fell) fell = within;
      if (between > fell) fell = between;
      if ((high[i] as number) > most) most = high[i] as number;
    }
    blocks.fall[block] = fell;
  }
  return blocks;
}

const columnLike = (column: Column, length: number): Column =>
  column instanceof Int32Array ? new Int32Array(length) : new Float64Array(length);
