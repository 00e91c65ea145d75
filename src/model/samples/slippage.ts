/**
 * Average slippage of a market order: the distance of its fills from the mid, as a mean weighted by their quote amount.
 * A minute has only the depth within bands, so the slippage is between two bounds. Where the stored depth ends, there is
 * no upper bound.
 */
import { type Decimal, decimal, divideWhole, max, min, ONE, ZERO } from "../../kernel/decimal.ts";
import type { ExactSum } from "../execution.ts";
import type { LiquidityMinute } from "./minute.ts";
import { BANDS, type Depths } from "./sample.ts";

/** In quote. */
export const TRADE_SIZES: readonly Decimal[] = ["100", "1000", "10000", "100000"].map(decimal);

/** Sums over minutes and both sides, in quote: size × slippage. */
export interface SizeSlippage {
  readonly least: Decimal;
  /** Over the sides whose stored depth is enough. */
  readonly most: Decimal;
  /** Number of sides whose stored depth ends before the order is filled. */
  readonly ended: number;
}

/** For each of `TRADE_SIZES`. */
export interface SlippageSums {
  /** Number of sides: two for each minute with a mid and a depth. */
  readonly sides: number;
  readonly sizes: readonly SizeSlippage[];
}

const NO_SIZE: SizeSlippage = { least: ZERO, most: ZERO, ended: 0 };
export const NO_SLIPPAGE: SlippageSums = { sides: 0, sizes: TRADE_SIZES.map(() => NO_SIZE) };

type BookMinute = Pick<LiquidityMinute, "spread" | "depth" | "isCutShort">;

export function slippageSums(rows: readonly BookMinute[]): SlippageSums {
  const sides = rows.flatMap(({ spread, depth, isCutShort }) => {
    if (spread === null || depth === null) return [];
    const of = { half: spread / 2n, isCutShort };
    return [
      { depths: depth.bids, ...of },
      { depths: depth.asks, ...of },
    ];
  });
  return { sides: sides.length, sizes: TRADE_SIZES.map((size) => slippageOfSize(sides, size)) };
}

interface SideDepths {
  readonly depths: Depths;
  /** Distance of its best price from the mid. */
  readonly half: Decimal;
  /** The exchange's response can end inside the widest band. */
  readonly isCutShort: boolean;
}

function slippageOfSize(sides: readonly SideDepths[], size: Decimal): SizeSlippage {
  let [least, most, ended]: [ExactSum, ExactSum, number] = [0n, 0n, 0];
  for (const side of sides) {
    const bounds = slippageBounds(side, size);
    least += bounds.least;
    if (bounds.most === null) ended++;
    else most += bounds.most;
  }
  return { least: divideWhole(least, ONE, "down"), most: divideWhole(most, ONE, "up"), ended };
}

/** Returns size × slippage: with every order of a band at its near edge, and at its far one. */
function slippageBounds({ depths, half, isCutShort }: SideDepths, size: Decimal) {
  let [least, most, filled]: [ExactSum, ExactSum, Decimal] = [0n, 0n, ZERO];
  let near = half;
  for (const [band, far] of BANDS.entries()) {
    const amount = min(size, depths[band as 0 | 1 | 2]) - filled;
    if (amount <= ZERO) continue;
    // The best price is in the first band with orders.
    near = filled === ZERO ? half : (BANDS[band - 1] ?? half);
    least += amount * near;
    most += amount * max(near, far);
    filled += amount;
  }
  if (filled === size) return { least, most };
  // Orders that a response left out can be in its last band.
  const rest = (size - filled) * (isCutShort ? near : max(half, BANDS[2]));
  return { least: least + rest, most: null };
}

export const addSlippage = (a: SlippageSums, b: SlippageSums): SlippageSums => ({
  sides: a.sides + b.sides,
  sizes: a.sizes.map((size, index) => {
    const { least, most, ended } = b.sizes[index] ?? NO_SIZE;
    return { least: size.least + least, most: size.most + most, ended: size.ended + ended };
  }),
});
