import * as z from "zod";
import { dayField, idField } from "../kernel/fields.ts";
import { lazy } from "../kernel/lazy.ts";
import { SIDES } from "../model/market.ts";

export const qualityInput = lazy(() =>
  z.object({
    id: idField("Invalid request")
      .optional()
      .describe("Strategy id; default: every strategy, without groups"),
    from: dayField("from").optional().describe("First day, in UTC; default: six days before the last one"),
    to: dayField("to").optional().describe("Last day, in UTC; default: today"),
  }),
);

export const attributionFields = () => ({
  totalProfit: z.number().describe("P&L as in the report, in quote: spread + inventory − fees"),
  spread: z.number().describe("What fills earned against the mid at their time"),
  inventory: z.number().describe("What price changes made of the inventory"),
  fees: z.number().describe("Fees minus rebates"),
});

export const measureFields = () => ({
  fills: z.number(),
  notional: z.number(),
  halfSpreadPercent: z.number().nullable().describe("Effective half-spread, of the notional"),
  withoutMid: z
    .number()
    .describe("Fills without a known mid; their spread is part of `inventory`, and in no half-spread"),
  toxicPercent: z
    .number()
    .nullable()
    .describe("Share of fills that had lost money after 10 s: the mid passed their price"),
  unmeasured: z.number().describe("Fills that this share does not know"),
  markouts: z.array(
    z.object({
      after: z.number().describe("Time after the fill, in milliseconds"),
      percent: z.number().nullable().describe("Realized half-spread: P&L per notional at the mid then"),
      impactPercent: z.number().nullable().describe("How far the mid moved against the fills"),
      known: z.number(),
      unknown: z.number(),
    }),
  ),
});

const quoteFields = () => ({ quote: z.string(), dryRun: z.boolean() });

export const QualityShape = lazy(() =>
  z.object({
    from: z.number(),
    to: z.number(),
    strategies: z.array(
      z.object({
        id: z.string(),
        exchange: z.string(),
        symbol: z.string(),
        ...{ ...quoteFields(), ...attributionFields(), ...measureFields() },
      }),
    ),
    days: z.array(
      z.object({
        day: z.string().describe("Day in UTC"),
        ...{ ...quoteFields(), ...attributionFields() },
        fills: z.number(),
        withoutMid: z.number().describe("Fills without a known mid"),
      }),
    ),
    sides: z
      .array(z.object({ side: z.enum(SIDES), ...measureFields() }))
      .describe("One row per side, if one strategy is requested"),
    levels: z
      .array(
        z.object({
          side: z.enum(SIDES),
          level: z.number().describe("Slot of the order"),
          ...measureFields(),
        }),
      )
      .describe("By slot: a level of a grid; quotes can use a slot for different levels"),
    hours: z
      .array(z.object({ hour: z.number().describe("Hour of the day, UTC"), ...measureFields() }))
      .describe("One row per hour with fills"),
    count: z.number(),
  }),
);
export type QualityAnswer = z.input<ReturnType<typeof QualityShape>>;
