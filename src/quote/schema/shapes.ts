import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";

const sideShape = () => z.enum(["buy", "sell"]);
const warning = () => z.object({ code: z.string(), message: z.string() });
const statuses = () => z.enum(["idle", "running", "stopped", "error"]);

const PlacedShape = lazy(() => z.object({ side: sideShape(), price: z.number(), amount: z.number() }));

const CountedShape = lazy(() =>
  z.object({
    source: z.string().describe("own, another exchange, dex or fixed"),
    counted: z.boolean(),
    because: z.string().nullable().describe("Why it did not count"),
  }),
);

const askedFields = () => ({
  exchange: z.string(),
  symbol: z.string(),
  spreadPercent: z.number().describe("That was asked for, in percent"),
  levels: z.number().describe("Orders a side"),
  budget: z
    .object({ base: z.string(), quote: z.string() })
    .describe("Of the account's own that it quotes with"),
});

const pricedFields = () => ({
  reference: z
    .number()
    .nullable()
    .describe("Median of the places that count, in quote; null where none does"),
  halfSpreadPercent: z.number().nullable().describe("From the middle of the quotes to the nearest order"),
  widenedBy: z.string().nullable().describe("asked, fees, volatility or model: what the half-spread is of"),
  sources: z.array(CountedShape()),
});

export const PlannedQuoteShape = lazy(() =>
  z.object({
    ...askedFields(),
    ...pricedFields(),
    orders: z.array(PlacedShape()),
    refused: z.array(z.object({ side: sideShape(), level: z.number(), reason: z.string() })),
    cadence: cadenceShape(),
    worstCase: z.string().describe("What can be lost, in a sentence"),
    warnings: z.array(warning()),
    planHash: z.string(),
  }),
);

const cadenceShape = () =>
  z
    .object({
      seconds: z.number().describe("Between two passes"),
      movePercent: z.number().nullable().describe("One standard deviation of the price in that time"),
      message: z.string(),
    })
    .describe("What the price moves by between two passes, and which spread bears it");

/** What a change of running quotes would do. */
export const PlannedQuoteChangeShape = lazy(() =>
  z.object({
    id: z.string(),
    changes: z.array(z.object({ field: z.string(), from: z.string(), to: z.string() })),
    ...pricedFields(),
    kept: z.number().describe("Orders that stay where they are"),
    cancelled: z
      .number()
      .describe("Orders that are taken away, each once its successor rests where there is money for both"),
    orders: z.array(PlacedShape()).describe("Orders that are placed beside those that stay"),
    refused: z.array(z.object({ side: sideShape(), level: z.number(), reason: z.string() })),
    cadence: cadenceShape(),
    warnings: z.array(warning()),
    planHash: z.string(),
  }),
);

export const StartedQuoteShape = lazy(() =>
  z.object({
    id: z.string(),
    status: statuses(),
    phase: z.string(),
    message: z.string(),
    ...askedFields(),
    warnings: z.array(warning()),
  }),
);

export const QuoteShape = lazy(() =>
  z.object({
    id: z.string(),
    dryRun: z.boolean(),
    status: statuses(),
    phase: z.string(),
    ...askedFields(),
    ...pricedFields(),
    quotedAt: z.number().nullable().describe("When orders were moved last, in milliseconds"),
    orders: z.array(PlacedShape()).describe("Orders that rest"),
    filledOrders: z.number(),
    profit: z.number(),
    totalProfit: z.number().nullable(),
    position: z.string(),
    averageCost: z.number().nullable(),
    refused: z.array(z.object({ slot: z.number(), reason: z.string(), detail: z.string().optional() })),
    notices: z.array(warning()),
    startedAt: z.number(),
    lastStepAt: z.number().nullable(),
    lastError: z.string().nullable(),
  }),
);

export const QuoteStatusShape = lazy(() =>
  z.object({ strategies: z.array(QuoteShape()), count: z.number() }),
);

export const QuoteListShape = lazy(() =>
  z.object({
    strategies: z.array(
      z.object({
        id: z.string(),
        dryRun: z.boolean(),
        exchange: z.string(),
        symbol: z.string(),
        status: statuses(),
        stalled: z.boolean().describe("Nothing has stepped it for three intervals"),
        notices: z.array(warning()),
        startedAt: z.number(),
      }),
    ),
    count: z.number(),
  }),
);

export const QuoteChangedShape = lazy(() =>
  z.object({
    success: z.boolean(),
    id: z.string(),
    status: statuses(),
    phase: z.string(),
    message: z.string(),
  }),
);
