import * as z from "zod";
import { feesShape, placedFields } from "../../engine/operations/shapes.ts";
import { lazy } from "../../kernel/lazy.ts";
import { STRATEGY_STATUSES } from "../../model/strategy.ts";
import { optionFlags, optionShares } from "../state/config.ts";
import { ConfigShape, GridStatusShape, lyingShape, RefusedShape, WarningShape } from "./shapes.ts";

const nullableNumber = (what: string) => z.number().nullable().describe(what);

/** Estimated results of a grid at last week's prices; null if they are unavailable. */
const LastWeekShape = lazy(() =>
  z.object({
    days: nullableNumber("Number of days with known prices, at most 7"),
    crossings: nullableNumber("Number of orders that would have filled"),
    cycles: nullableNumber("Number of cycles that would have completed"),
    profitPerDay: nullableNumber("Profit of these cycles per day after fees, in quote"),
    breakEvenDays: nullableNumber(
      "Days until this profit covers a fall to the stop price or the lowest level; null if never",
    ),
    message: z.string(),
  }),
);

/** Builds several fields with the same schema and description. */
const eachAs = <Name extends string, Form extends z.ZodType>(
  fields: Readonly<Record<Name, z.ZodType>>,
  form: Form,
): Record<Name, Form> =>
  Object.fromEntries(
    Object.entries<z.ZodType>(fields).map(([name, { description = "" }]) => [
      name,
      form.describe(description),
    ]),
  ) as Record<Name, Form>;

/** Options of a grid besides its levels. */
const OptionsShape = lazy(() =>
  z
    .object({
      stopLossPrice: z.number(),
      takeProfitPrice: z.number(),
      stopAtOnce: z.boolean(),
      triggerPrice: z.number(),
      trail: z.object({ up: z.number(), down: z.number() }).partial(),
      ...eachAs(optionFlags(), z.boolean()),
      ...eachAs(optionShares(), z.number()),
    })
    .partial(),
);

export const PlannedShape = lazy(() =>
  z.object({
    config: ConfigShape(),
    marketPrice: z.number(),
    orders: z.array(
      z.object({
        slot: z.number(),
        ...placedFields(),
        crosses: z.boolean().describe("true for the initial buy: it fills at once, at up to its price"),
      }),
    ),
    refused: z.array(RefusedShape()),
    slots: z.array(
      z.object({
        slot: z.number(),
        lowerPrice: z.number(),
        upperPrice: z.number(),
        netPercent: z.number(),
        netProfit: z.number(),
      }),
    ),
    sums: z
      .object({
        buys: z.string(),
        initialBuy: z.string().describe("Part of the buys that fills at once"),
        sells: z.string(),
        base: z.string().describe("Base of the sells"),
      })
      .describe("Sums of the orders, in quote"),
    investment: z
      .object({ quote: z.string(), base: z.string() })
      .describe("Funds set aside, so that no slot waits"),
    free: z
      .object({ quote: z.string(), base: z.string() })
      .describe("Free balance that other strategies do not need"),
    options: OptionsShape(),
    maxQuoteUsed: z.string(),
    ownBaseUsed: z.string(),
    breakEvenSpacingPercent: z.number(),
    fees: feesShape(),
    worstCase: z.array(z.object({ price: z.number(), loss: z.number() })),
    lastWeek: LastWeekShape(),
    spread: z.number(),
    warnings: z.array(WarningShape()),
    planHash: z.string(),
  }),
);

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
