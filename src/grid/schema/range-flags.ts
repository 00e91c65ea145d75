/** Flags of the fields of a range grid on the command line. */
export const RANGE_FLAGS = {
  lowerPrice: "lower",
  upperPrice: "upper",
  gridLevels: "levels",
  orderSize: "size",
  gridSpacing: "spacing",
} as const;

export const TRAIL_PARTS = {
  trail: {
    up: "Highest upper bound to which the grid follows the market",
    down: "Lowest lower bound to which the grid follows the market",
  },
} as const;
