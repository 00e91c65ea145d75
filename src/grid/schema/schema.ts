import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";
import { STRATEGY_STATUSES } from "../../model/strategy.ts";
import { ConfigShape, GridStatusShape, lyingShape, WarningShape } from "./shapes.ts";

export const StartedShape = lazy(() =>
  z.object({
    id: z.string(),
    status: z.enum(STRATEGY_STATUSES),
    phase: z.string(),
    message: z.string(),
    config: ConfigShape(),
    maxQuoteUsed: z.string(),
    ownBaseUsed: z.string(),
    warnings: z.array(WarningShape()),
  }),
);

export const StatusShape = lazy(() =>
  z.object({
    strategies: z.array(GridStatusShape()),
    count: z.number(),
    next: z.string().nullable(),
    warnings: z.array(z.string()).describe("Warnings about the exchange keys"),
  }),
);

export const ListShape = lazy(() =>
  z.object({
    strategies: z.array(
      z.object({
        id: z.string(),
        name: z.string().nullable(),
        dryRun: z.boolean(),
        exchange: z.string(),
        symbol: z.string(),
        status: z.enum(STRATEGY_STATUSES),
        ...lyingShape(z.number()),
        stalled: z.boolean().describe("true if there was no pass for three intervals"),
        notices: z.array(WarningShape()).describe("Problems, each with what to do"),
        startedAt: z.number(),
      }),
    ),
    count: z.number(),
  }),
);

export const RoundShape = lazy(() =>
  z.object({
    accounts: z.array(z.object({ account: z.string(), outcome: z.string(), message: z.string().optional() })),
  }),
);
