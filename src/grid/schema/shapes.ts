import * as z from "zod";
import { stopPriceShape, streamShape } from "../../engine/operations/shapes.ts";
import { type Decimal, div, mul, ONE, roundToStep, sum, wire, ZERO } from "../../kernel/decimal.ts";
import { lazy } from "../../kernel/lazy.ts";
import { STRATEGY_STATUSES } from "../../model/strategy.ts";
import type { GridConfig } from "../state/config.ts";
import { rangeNow } from "../state/range.ts";
import type { GridStrategy } from "../state/state.ts";
import { accountingShape, CostShape, confidenceShape, slotShape } from "./accounting.ts";

/** Fields of a grid's configuration. `money` is a number in the contract's answers, otherwise decimal text. */
const layoutShape = <Money extends z.ZodType>(money: Money) => ({
  exchange: z.string(),
  symbol: z.string(),
  lowerPrice: money,
  upperPrice: money,
  gridLevels: z.number(),
  orderSize: money,
  gridSpacing: money,
});

export const ConfigShape = lazy(() => z.object(layoutShape(z.number())));

export const WarningShape = lazy(() => z.object({ code: z.string(), message: z.string() }));

export const RefusedShape = lazy(() =>
  z.object({ slot: z.number(), reason: z.string(), detail: z.string().optional() }),
);

/** Fields of a grid's base and its average cost. */
const positionShape = () => ({
  position: z.string(),
  averageCost: z.number().nullable(),
  breakEvenPrice: z.number().nullable(),
});

export const GridStatusShape = lazy(() =>
  z.object({
    id: z.string(),
    name: z.string().nullable(),
    dryRun: z.boolean(),
    status: z.enum(STRATEGY_STATUSES),
    phase: z.string(),
    centered: z.boolean().describe("true for a centered grid, which follows the price"),
    ...layoutShape(z.number()),
    ...lyingShape(z.number()),
    openOrders: z.number(),
    filledOrders: z.number(),
    cycles: z.number(),
    profit: z.number(),
    unrealizedProfit: z.number().nullable(),
    totalProfit: z.number().nullable(),
    markPrice: z.number().nullable(),
    startPrice: z.number().describe("Market price when the grid was first placed"),
    investment: z.number().describe("Value of the orders of all slots, in quote"),
    holdingProfit: z.number().nullable().describe("Profit of buy and hold since the start"),
    ...positionShape(),
    fees: z.record(z.string(), z.string()),
    stopPrices: z.array(stopPriceShape(z.number())),
    stopReason: z.string().nullable().describe("Why it stopped, unless you stopped it"),
    ...accountingShape(),
    otherChanges: z.record(z.string(), z.string()),
    refused: z.array(
      RefusedShape().extend({ lowerPrice: z.number().optional().describe("Lower price of the slot") }),
    ),
    notices: z.array(z.object({ code: z.string(), message: z.string() })),
    startedAt: z.number(),
    runningTime: z.number(),
    lastStepAt: z.number().nullable(),
    lastStepBy: z.string().nullable(),
    stream: streamShape(),
    lastError: z.string().nullable(),
    cost: CostShape().nullable(),
    /** Only if the grid was requested by its id. */
    slots: z.array(slotShape(z.number())).optional(),
  }),
);

/** Returns the sum of all slots' orders. */
export const investmentOf = ({ state }: Pick<GridStrategy, "state">): Decimal =>
  sum(state.slots.map(({ size }) => size));

/** Returns a grid's benchmark: the profit of holding its investment in base since the start. */
export const holdingProfit = ({ state }: Pick<GridStrategy, "state">, mark: Decimal): Decimal =>
  state.startPrice === ZERO
    ? ZERO
    : roundToStep(
        mul(investmentOf({ state }), div(mark - state.startPrice, state.startPrice, "half"), "half"),
        ONE / 100n,
        "half",
      );

/** The part of a status that only grids have. */
export const GridDetailsShape = lazy(() => {
  const { exchange: _exchange, symbol: _symbol, ...layout } = layoutShape(z.string());
  return z.object({
    kind: z.literal("grid"),
    centered: z.boolean().describe("true for a centered grid, which follows the price"),
    ...layout,
    ...lyingShape(z.string()),
    cycles: z.number(),
    confidence: confidenceShape(),
    otherChanges: z.record(z.string(), z.string()),
    slots: z.array(slotShape(z.string())),
  });
});

const rangeNowShape = <Money extends z.ZodType>(money: Money) =>
  z
    .object({ lowerPrice: money, upperPrice: money })
    .nullable()
    .describe("Current range of the levels; differs from the request if the grid has followed the market");

const followsShape = <Money extends z.ZodType>(money: Money) =>
  z
    .union([
      z.object({
        how: z.literal("trail").describe("Furthest range of the trail"),
        up: money.nullable(),
        down: money.nullable(),
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
    .describe("How the grid follows the market; null if it does not");

/** Fields for a grid's current range, and whether it can move. */
export const lyingShape = <Money extends z.ZodType>(money: Money) => ({
  rangeNow: rangeNowShape(money),
  follows: followsShape(money),
});

export type RangeNow<Money = number | string> = {
  readonly lowerPrice: Money;
  readonly upperPrice: Money;
} | null;
type CenteredFollows = Extract<z.output<ReturnType<typeof followsShape>>, { how: "centered" }>;
export type Follows<Money = number | string> =
  | CenteredFollows
  | { readonly how: "trail"; readonly up: Money | null; readonly down: Money | null }
  | null;

/** Returns the current range, with prices in the form that `as` gives them. */
export const currentRange = <Money>(strategy: GridStrategy, as: (price: Decimal) => Money) => ({
  rangeNow: rangeNowOut(strategy, as),
  follows: followsOut(strategy.config, as),
});

function rangeNowOut<Money>(
  { state }: Pick<GridStrategy, "state">,
  as: (price: Decimal) => Money,
): RangeNow<Money> {
  const range = rangeNow(state);
  return range === undefined ? null : { lowerPrice: as(range.lower), upperPrice: as(range.upper) };
}

function followsOut<Money>({ centered, trail }: GridConfig, as: (price: Decimal) => Money): Follows<Money> {
  const boundOut = (bound: Decimal | undefined) => (bound === undefined ? null : as(bound));
  if (centered) {
    const { levels, spacing, spacingModel, deviation, deviationFrom, debounce } = centered;
    const shares = { spacing: wire(spacing), deviation: wire(deviation) };
    return { how: "centered", levels, spacingModel, deviationFrom, debounce, ...shares };
  }
  if (trail?.up === undefined && trail?.down === undefined) return null;
  return { how: "trail", up: boundOut(trail.up), down: boundOut(trail.down) };
}
