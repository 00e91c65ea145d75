import * as z from "zod";
import {
  budgetOut,
  changedFields,
  listedFields,
  placedFields,
  statusFields,
  warnings,
} from "../../engine/operations/shapes.ts";
import { lazy } from "../../kernel/lazy.ts";
import { SIDES } from "../../model/market.ts";

const sideShape = () => z.enum(SIDES);

const PlacedShape = lazy(() => z.object(placedFields()));

const CountedShape = lazy(() =>
  z.object({
    source: z.string().describe("own, another exchange, dex or fixed"),
    counted: z.boolean(),
    because: z.string().nullable().describe("Why it did not count"),
  }),
);

/** Fields of the request for quotes, in every answer that repeats it. */
export const quoteRequestFields = () => ({
  exchange: z.string(),
  symbol: z.string(),
  spreadPercent: z.number().describe("Requested spread, in percent"),
  levels: z.number().describe("Orders per side"),
  budget: budgetOut(),
  maxLoss: z.string().nullable().describe("Loss limit, in quote; null without one"),
  defend: z
    .string()
    .nullable()
    .describe("Answer to a side that is picked off: ticks or pause, and passes; null without one"),
});

const pricedFields = () => ({
  reference: z.number().nullable().describe("Median of the sources that count, in quote; null without any"),
  halfSpreadPercent: z
    .number()
    .nullable()
    .describe("Distance from the middle of the quotes to the nearest order"),
  widenedBy: z
    .string()
    .nullable()
    .describe("Source of the half-spread: asked (your spread), fees, volatility or model"),
  sources: z.array(CountedShape()),
});

export const PlannedQuoteShape = lazy(() =>
  z.object({
    ...quoteRequestFields(),
    ...pricedFields(),
    orders: z.array(PlacedShape()),
    refused: z.array(z.object({ side: sideShape(), level: z.number(), reason: z.string() })),
    cadence: cadenceShape(),
    worstCase: z.string().describe("Maximum loss, as a sentence"),
    warnings: warnings(),
    planHash: z.string(),
  }),
);

const cadenceShape = () =>
  z
    .object({
      seconds: z.number().describe("Time between two passes"),
      movePercent: z.number().nullable().describe("One standard deviation of the price in that time"),
      message: z.string(),
    })
    .describe("Price move between two passes, and the spread that covers it");

/** Result of a preview of a change to running quotes. */
export const PlannedQuoteChangeShape = lazy(() =>
  z.object({
    id: z.string(),
    changes: z.array(z.object({ field: z.string(), from: z.string(), to: z.string() })),
    ...pricedFields(),
    kept: z.number().describe("Orders that stay open"),
    cancelled: z.number().describe("Orders to cancel, each after its replacement if funds allow"),
    orders: z.array(PlacedShape()).describe("Orders to place"),
    refused: z.array(z.object({ side: sideShape(), level: z.number(), reason: z.string() })),
    cadence: cadenceShape(),
    warnings: warnings(),
    planHash: z.string(),
  }),
);

export const StartedQuoteShape = lazy(() =>
  z.object({
    ...changedFields(),
    ...quoteRequestFields(),
    warnings: warnings(),
  }),
);

const QuoteShape = lazy(() =>
  z.object({
    ...statusFields(),
    ...quoteRequestFields(),
    ...pricedFields(),
    quotedAt: z.number().nullable().describe("Time of the last order move, in milliseconds"),
    orders: z.array(PlacedShape()).describe("Open orders"),
    refused: z.array(z.object({ slot: z.number(), reason: z.string(), detail: z.string().optional() })),
  }),
);

export const QuoteStatusShape = lazy(() =>
  z.object({ strategies: z.array(QuoteShape()), count: z.number() }),
);

export const QuoteListShape = lazy(() =>
  z.object({ strategies: z.array(z.object(listedFields())), count: z.number() }),
);
