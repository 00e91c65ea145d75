import * as z from "zod";
import { placedFields, streamShape } from "../../engine/operations/shapes.ts";
import { lazy } from "../../kernel/lazy.ts";
import { STRATEGY_STATUSES } from "../../model/strategy.ts";
import { accountingShape, SlotShape } from "./accounting.ts";
import { CostShape } from "./cost.ts";
import { StopPriceShape } from "./ends.ts";
import { lyingShape } from "./follows.ts";

/** Fields of a grid's configuration. */
const layoutShape = () => ({
  exchange: z.string(),
  symbol: z.string(),
  lowerPrice: z.number(),
  upperPrice: z.number(),
  gridLevels: z.number(),
  orderSize: z.number(),
  gridSpacing: z.number(),
});

export const ConfigShape = lazy(() => z.object(layoutShape()));

export const WarningShape = lazy(() => z.object({ code: z.string(), message: z.string() }));

export const RefusedShape = lazy(() =>
  z.object({ slot: z.number(), reason: z.string(), detail: z.string().optional() }),
);

export const StoppedShape = lazy(() =>
  z.object({
    success: z.boolean(),
    id: z.string(),
    message: z.string(),
    summary: z.object({
      runningTime: z.number(),
      filledOrders: z.number(),
      profit: z.number(),
      totalProfit: z.number().nullable(),
      base: z.string(),
      baseWorth: z.number().nullable(),
      averageCost: z.number().nullable(),
      stopReason: z.string().nullable(),
      openOrders: z.array(z.object({ id: z.string(), ...placedFields() })).optional(),
    }),
  }),
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
    ...layoutShape(),
    ...lyingShape(),
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
    stopPrices: z.array(StopPriceShape()),
    stopReason: z.string().nullable().describe("Why it stopped, unless you stopped it"),
    ...accountingShape(),
    otherChanges: z.record(z.string(), z.string()),
    refused: z.array(RefusedShape()),
    notices: z.array(z.object({ code: z.string(), message: z.string() })),
    startedAt: z.number(),
    runningTime: z.number(),
    lastStepAt: z.number().nullable(),
    lastStepBy: z.string().nullable(),
    stream: streamShape(),
    lastError: z.string().nullable(),
    cost: CostShape().nullable(),
    /** Only if the grid was requested by its id. */
    slots: z.array(SlotShape()).optional(),
  }),
);
