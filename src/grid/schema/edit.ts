import * as z from "zod";
import { placedFields } from "../../engine/operations/shapes.ts";
import { lazy } from "../../kernel/lazy.ts";
import { STRATEGY_STATUSES } from "../../model/strategy.ts";
import { RefusedShape, WarningShape } from "./shapes.ts";

/** Result of a preview of a change to a running grid. */
export const PlannedEditShape = lazy(() =>
  z.object({
    id: z.string(),
    marketPrice: z.number(),
    changes: z.array(z.object({ field: z.string(), from: z.string(), to: z.string() })),
    cancelled: z.number().describe("Orders to cancel before any other is placed"),
    orders: z
      .array(z.object({ slot: z.number(), ...placedFields() }))
      .describe("Open orders after the change; none if the levels stay"),
    refused: z.array(RefusedShape()),
    investment: z
      .object({ quote: z.string(), base: z.string() })
      .describe("Quote for the buys, and base that the grid holds"),
    free: z.string().describe("Free quote that other strategies do not need, after the canceled orders"),
    idleBase: z.string().describe("Base that no slot would sell"),
    realized: z.number().describe("Realized P&L so far; the change keeps the ledger and sells nothing"),
    totalProfit: z.number(),
    maxQuoteUsed: z.string(),
    worstCase: z.array(z.object({ price: z.number(), loss: z.number() })),
    warnings: z.array(WarningShape()),
    planHash: z.string(),
  }),
);

export const EditedShape = lazy(() =>
  z.object({
    success: z.boolean(),
    id: z.string(),
    status: z.enum(STRATEGY_STATUSES),
    phase: z.string(),
    made: z.boolean().describe("true if the change is complete; otherwise the next passes complete it"),
    message: z.string(),
    changes: z.array(z.object({ field: z.string(), from: z.string(), to: z.string() })),
    warnings: z.array(WarningShape()),
  }),
);
