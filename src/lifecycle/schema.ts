import * as z from "zod";
import {
  modeShape,
  placedTextFields,
  stopPriceShape,
  streamShape,
  warnings,
} from "../engine/operations/shapes.ts";
import { lazy } from "../kernel/lazy.ts";
import { STRATEGY_STATUSES } from "../model/strategy.ts";

const knownMoney = (what: string) => z.string().nullable().describe(what);

export const DefinitionShape = lazy(() =>
  z.object({
    name: z.string(),
    title: z.string().describe("Name for people"),
    summary: z.string().nullable(),
    builtIn: z.boolean().describe("true if it comes with the program"),
    version: z.number().describe("Version of the definition, from 1"),
    config: z.record(z.string(), z.unknown()).describe("JSON schema of its config"),
    fileHashes: z
      .array(z.string())
      .optional()
      .describe(
        "SHA-256 of its files as they were loaded, then, if they have changed since, of the files now, or `missing` or `unreadable`; absent without files",
      ),
  }),
);

export const StrategyRowShape = lazy(() =>
  z.object({
    id: z.string(),
    name: z.string().nullable(),
    definition: z.string().describe("grid, quote, or the name of your own strategy"),
    exchange: z.string(),
    symbol: z.string(),
    mode: modeShape(),
    status: z.enum(STRATEGY_STATUSES),
    phase: z.string(),
    stalled: z.boolean().describe("true if there was no pass for three intervals"),
    price: knownMoney("Price at which its base is valued, in quote; null without one"),
    lowerBound: knownMoney("Lowest price of its levels; without levels, its stop loss"),
    upperBound: knownMoney("Highest price of its levels; without levels, its take profit"),
    totalProfit: z.string().nullable(),
    profit: z.string(),
    profitPercent: z.number().nullable().describe("Total P&L, in percent of the capital"),
    capital: z.string().describe("What it can use, in quote at the price of its start"),
    holdingProfit: knownMoney("Profit of buy and hold since the start"),
    position: z.string(),
    openOrders: z.number(),
    filledOrders: z.number(),
    waitingSlots: z.number().describe("Orders that wait; its status has the reasons"),
    endings: z.array(z.string()).describe("What it does by itself besides its stop prices"),
    notices: warnings(),
    lastError: z.string().nullable(),
    lastStepAt: z.number().nullable(),
    startedAt: z.number(),
    runningTime: z.number(),
  }),
);

export const TotalShape = lazy(() =>
  z.object({
    quote: z.string(),
    mode: modeShape(),
    count: z.number(),
    totalProfit: knownMoney("Sum of the total P&L, in quote; null if one is unknown"),
    profit: z.string(),
    holdingProfit: knownMoney("Sum of the profit of buy and hold"),
    capital: z.string().describe("Sum of the capital, in quote"),
  }),
);

export const StrategyListShape = lazy(() =>
  z.object({
    strategies: z.array(StrategyRowShape()),
    count: z.number(),
    totals: z.array(TotalShape()).describe("Totals by quote asset and mode, of these strategies"),
    next: z.string().nullable(),
    warnings: z.array(z.string()).describe("Problems with exchange keys, and strategies that cannot be read"),
  }),
);

export const DefinitionsShape = lazy(() =>
  z.object({ definitions: z.array(DefinitionShape()).describe("One row per definition"), count: z.number() }),
);

/** A status of any strategy: what all have, and its definition's own part. */
export const statusShape = (details: readonly z.ZodObject[]) =>
  StrategyRowShape().extend({
    startPrice: knownMoney("Price at its start, in quote"),
    unrealizedProfit: z.string().nullable(),
    feesPaid: z.string().describe("All fees so far, in quote"),
    averageCost: z.string().nullable(),
    breakEvenPrice: z.string().nullable(),
    orders: z
      .array(z.object({ id: z.string().describe("The definition's id of the order"), ...placedTextFields() }))
      .describe("Open orders"),
    waiting: z
      .array(z.object({ id: z.string(), reason: z.string(), detail: z.string() }))
      .describe("Orders that wait, each with the reason"),
    stopPrices: z.array(stopPriceShape(z.string())),
    stopReason: z.string().nullable().describe("Why it stopped, unless you stopped it"),
    stream: streamShape(),
    startAgain: z
      .record(z.string(), z.unknown())
      .describe("Body of `POST /strategies` that starts another one with the same settings"),
    details: z
      .union(details as [z.ZodObject, ...z.ZodObject[]])
      .nullable()
      .describe("Part of its definition: `kind` says which"),
  });

export const StatusBaseShape = lazy(() => statusShape([z.object({ kind: z.string() })]));
