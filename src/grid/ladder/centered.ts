import { type Decimal, divideWhole, mul, ONE, snap, ZERO } from "../../kernel/decimal.ts";
import type { CenteredConfig } from "../state/config.ts";
import type { Slot } from "../state/state.ts";
import { layOut } from "./layout.ts";
import { levelsAround } from "./levels.ts";

/** Maximum distance of the outermost level from the center as a share of it, including the widening for volatility. */
const FARTHEST_FROM_CENTER: Decimal = (95n * ONE) / 100n;

/**
 * Returns the distances of each side's levels from the center as shares of it, nearest first, times `widening`.
 * Linear: k·spacing. Geometric: Σ spacing·factor^(k−1). Custom: as configured.
 */
function offsetsOf(config: CenteredConfig, widening: Decimal): Decimal[] {
  const { levels, spacing, spacingModel, spacingFactor, customSpacings = [] } = config;
  const offsets: Decimal[] = [];
  let [gap, total] = [spacing, ZERO];
  for (let k = 0; k < levels; k++) {
    total = spacingModel === "custom" ? (customSpacings[k] ?? ZERO) : total + gap;
    offsets.push(total);
    if (spacingModel === "geometric") gap = mul(gap, spacingFactor, "half");
  }
  return offsets.map((offset) => mul(offset, widening, "half"));
}

/** Returns the maximum number of levels per side with an allowed outermost offset; −1 if any number is allowed. */
export function mostLevels(config: CenteredConfig): number {
  const widest = config.volatility ? 2n * ONE : ONE;
  return offsetsOf(config, widest).findIndex((offset) => offset >= FARTHEST_FROM_CENTER);
}

/** Returns multiples of the base size, nearest slot first; they sum to the number of levels, except custom ones. */
function weightsOf({ levels, sizeModel, sizeWeights = [] }: CenteredConfig): Decimal[] {
  return Array.from({ length: levels }, (_, i) => {
    if (sizeModel === "custom") return sizeWeights[i] ?? ZERO;
    // (n + 1 − k) of a sum of n(n + 1)/2, scaled to n.
    return sizeModel === "flat"
      ? ONE
      : divideWhole(2n * BigInt(levels - i) * ONE, BigInt(levels + 1), "half");
  });
}

export interface CenteredContext {
  readonly config: CenteredConfig;
  readonly orderSize: Decimal;
  /** The mid price at its center. */
  readonly mid: Decimal;
  readonly widening: Decimal;
  readonly tick: Decimal;
}

/** Returns the 2n slots around a mid price, and the rounded center, which is one of their prices and starts empty. */
export function layAround({ config, orderSize, mid, widening, tick }: CenteredContext): {
  readonly center: Decimal;
  readonly levels: readonly Decimal[];
  readonly slots: readonly Slot[];
} {
  const levels = levelsAround(mid, offsetsOf(config, widening), tick);
  const center = snap(mid, tick, "half");
  const weights = weightsOf(config);
  const slots = layOut(levels, orderSize, center).map((slot) => {
    const fromCenter =
      slot.index < config.levels ? config.levels - 1 - slot.index : slot.index - config.levels;
    return { ...slot, size: mul(orderSize, weights[fromCenter] ?? ONE, "down") };
  });
  return { center, levels, slots };
}
