import * as z from "zod";
import { type Decimal, wire } from "../../kernel/decimal.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { GridConfig } from "../state/config.ts";
import { rangeNow } from "../state/range.ts";
import type { GridStrategy } from "../state/state.ts";

const RangeNowShape = lazy(() =>
  z
    .object({ lowerPrice: z.number(), upperPrice: z.number() })
    .nullable()
    .describe("Current range of the levels; differs from the request if the grid has followed the market"),
);

const FollowsShape = lazy(() =>
  z
    .union([
      z.object({
        how: z.literal("trail").describe("Furthest range of the trail"),
        up: z.number().nullable(),
        down: z.number().nullable(),
      }),
      z.object({
        how: z.literal("centered").describe("Rebuild settings of a centered grid"),
        levels: z.number().describe("Levels each side"),
        spacing: z.number().describe("As a share of the center price"),
        spacingModel: z.enum(["linear", "geometric", "custom"]),
        deviation: z
          .number()
          .describe("Distance of the price that triggers a rebuild, as a share of the center price"),
        deviationFrom: z
          .enum(["edge", "center"])
          .describe("Whether the distance is measured from the outermost level or the center"),
        debounce: z.number().describe("Minimum milliseconds between two rebuilds"),
      }),
    ])
    .nullable()
    .describe("How the grid follows the market; null if it does not"),
);

/** Fields for a grid's current range, and whether it can move. */
export const lyingShape = () => ({ rangeNow: RangeNowShape(), follows: FollowsShape() });

export type RangeNow = z.output<ReturnType<typeof RangeNowShape>>;
export type Follows = z.output<ReturnType<typeof FollowsShape>>;

export const lyingOut = (strategy: GridStrategy) => ({
  rangeNow: rangeNowOut(strategy),
  follows: followsOut(strategy.config),
});

function rangeNowOut({ state }: Pick<GridStrategy, "state">): RangeNow {
  const range = rangeNow(state);
  return range === undefined ? null : { lowerPrice: wire(range.lower), upperPrice: wire(range.upper) };
}

function followsOut({ centered, trail }: GridConfig): Follows {
  if (centered) {
    const { levels, spacing, spacingModel, deviation, deviationFrom, debounce } = centered;
    const shares = { spacing: wire(spacing), deviation: wire(deviation) };
    return { how: "centered", levels, spacingModel, deviationFrom, debounce, ...shares };
  }
  if (trail?.up === undefined && trail?.down === undefined) return null;
  return { how: "trail", up: boundOut(trail.up), down: boundOut(trail.down) };
}

const boundOut = (bound: Decimal | undefined): number | null => (bound === undefined ? null : wire(bound));
