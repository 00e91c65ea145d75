import { type Decimal, ONE, readable, text } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";
import { layAround, mostLevels } from "../ladder/centered.ts";
import { breakEvenRatio, restingFees } from "../ladder/fees.ts";
import { ascends, leastRatio, levelsFrom, slotsBetween } from "../ladder/levels.ts";
import type { GridConfig } from "../state/config.ts";

/** Minimum number of levels of a range grid. */
const LEAST_LEVELS = 2;

/** Suggests input instead of a range grid whose cycles lose money, in the field that the user set. */
export function adviceOnRange(config: GridConfig, market: Market): string {
  const pays = (change: Partial<GridConfig>) =>
    paysFees(levelsFrom({ ...config, ...change }, market.tick), market);
  if (config.isSpaced) {
    const least = leastWhere((gridSpacing) => pays({ gridSpacing }), config.gridSpacing);
    return least === undefined
      ? "use fewer levels"
      : `use a spacing of at least ${text(least)} ${market.quote}`;
  }
  const most = mostWhere((gridLevels) => pays({ gridLevels }), config.gridLevels);
  return most < LEAST_LEVELS ? "use a wider range" : `use at most ${most} levels or a wider range`;
}

/** Does the same for a centered grid, whose spacing is a share of its center. */
export function adviceOnCentered(
  { orderSize, centered }: CenteredTerms,
  mid: Decimal,
  market: Market,
): string {
  if (centered.spacingModel === "custom") return "use wider customSpacings";
  const pays = (spacing: Decimal) => {
    const config = { ...centered, spacing };
    // Levels beyond the maximum are refused with their own error.
    if (mostLevels(config) >= 0) return true;
    return paysFees(layAround({ config, orderSize, mid, widening: ONE, tick: market.tick }).levels, market);
  };
  const least = leastWhere(pays, centered.spacing);
  return least === undefined ? "use fewer levels" : `use a spacing of at least ${text(least)}`;
}

type CenteredTerms = Pick<GridConfig, "orderSize"> & {
  readonly centered: NonNullable<GridConfig["centered"]>;
};

const paysFees = (levels: readonly Decimal[], market: Market): boolean =>
  ascends(levels) && leastRatio(slotsBetween(levels)) >= breakEvenRatio(restingFees(market));

/** Number of doublings after which a spacing exceeds every price. */
const MOST_DOUBLINGS = 64;

/** Returns the smallest readable value that satisfies a condition, above one that does not; undefined if none does. */
function leastWhere(holds: (value: Decimal) => boolean, from: Decimal): Decimal | undefined {
  let [below, above] = [from, from * 2n];
  for (let tries = 0; !holds(above); tries++) {
    if (tries > MOST_DOUBLINGS) return undefined;
    [below, above] = [above, above * 2n];
  }
  for (let step = above / 100_000n + 1n; above - below > step; ) {
    const middle = (below + above) / 2n;
    if (holds(middle)) above = middle;
    else below = middle;
  }
  return readable(above);
}

/** Returns the largest whole number that satisfies a condition, below one that does not; 0 if none does. */
function mostWhere(holds: (count: number) => boolean, from: number): number {
  let [most, least] = [from, 0];
  while (most - least > 1) {
    const middle = Math.floor((most + least) / 2);
    if (holds(middle)) least = middle;
    else most = middle;
  }
  return least;
}
