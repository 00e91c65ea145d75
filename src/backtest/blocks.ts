import type { Column } from "../candles/candles.ts";

/** The extremes of blocks of bars. */
export interface Blocks {
  readonly high: Column;
  readonly low: Column;
}

/** Blocks of 8 bars, of 64 and of 4,096. */
export type Levels = readonly [tiny: Blocks, small: Blocks, large: Blocks];

export function blockLevels(bars: Blocks): Levels {
  const tiny = blocksOf(bars, 8);
  const small = blocksOf(tiny, 8);
  return [tiny, small, blocksOf(small, 64)];
}

/** Of bars, or of smaller blocks, so many in each. */
function blocksOf({ high, low }: Blocks, size: number): Blocks {
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

const columnLike = (column: Column, length: number): Column =>
  column instanceof Int32Array ? new Int32Array(length) : new Float64Array(length);
