import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";
import { RefusedShape, WarningShape } from "./shapes.ts";

/** What a change of a running grid would do. */
export const PlannedEditShape = lazy(() =>
  z.object({
    id: z.string(),
    marketPrice: z.number(),
    changes: z.array(z.object({ field: z.string(), from: z.string(), to: z.string() })),
    cancelled: z.number().describe("Orders that are cancelled before any other is placed"),
    orders: z
      .array(
        z.object({ slot: z.number(), side: z.enum(["buy", "sell"]), price: z.number(), amount: z.number() }),
      )
      .describe("Orders that rest once it is made; none where the levels stay"),
    refused: z.array(RefusedShape()),
    investment: z
      .object({ quote: z.string(), base: z.string() })
      .describe("What the buys need, and base held"),
    free: z
      .string()
      .describe(
        "Free quote beside what other strategies need, once the cancelled orders have given theirs back",
      ),
    idleBase: z.string().describe("Base that no slot would sell"),
    realized: z.number().describe("Realised so far: the ledger is kept, and the change itself sells nothing"),
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
    status: z.enum(["idle", "running", "stopped", "error"]),
    phase: z.string(),
    made: z.boolean().describe("The change is made; else the next passes make it"),
    message: z.string(),
    changes: z.array(z.object({ field: z.string(), from: z.string(), to: z.string() })),
    warnings: z.array(WarningShape()),
  }),
);
