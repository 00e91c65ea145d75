import type { Column } from "../../candles/candles.ts";

/** Extremes of blocks of bars; the lowest and the highest of a block are adjacent, for fast memory access. */
export type Blocks = Column;

/** Blocks of 8 bars, of 64 and of 4,096. */
export type Levels = readonly [tiny: Blocks, small: Blocks, large: Blocks];

/** Builds the blocks of bars, each of them four consecutive prices: open, low, high and close. */
export function blockLevels(rows: Column): Levels {
  const tiny = blocksOf(rows, 8, 4);
  const small = blocksOf(tiny, 8, 2);
  return [tiny, small, blocksOf(small, 64, 2)];
}

/** Builds blocks from rows of this width, or from smaller blocks. The lowest is before the highest in both. */
function blocksOf(of: Column, size: number, width: 2 | 4): Blocks {
  const offset = width === 4 ? 1 : 0;
  const count = Math.ceil(of.length / (size * width));
  // Of the same type; every price in it is replaced.
  const blocks = of.slice(0, 2 * count);
  for (let block = 0; block < count; block++) {
    const from = block * size * width + offset;
    const end = Math.min(of.length, from + size * width);
    let least = of[from] as number;
    let most = of[from + 1] as number;
    for (let i = from + width; i < end; i += width) {
      const low = of[i] as number;
      const high = of[i + 1] as number;
      if (low < least) least = low;
      if (high > most) most = high;
    }
    blocks[2 * block] = least;
    blocks[2 * block + 1] = most;
  }
  return blocks;
}
