import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";

export const FillShape = lazy(() =>
  z.object({
    timestamp: z.number(),
    slot: z.number(),
    side: z.enum(["buy", "sell"]),
    price: z.number(),
    amount: z.string(),
    notional: z.string(),
    fee: z.string(),
  }),
);

export const SlotResultShape = lazy(() =>
  z.object({
    slot: z.number(),
    lowerPrice: z.number(),
    upperPrice: z.number(),
    buys: z.number(),
    sells: z.number(),
    cycles: z.number(),
  }),
);

export const PointShape = lazy(() =>
  z.object({
    timestamp: z.number(),
    price: z.number(),
    equity: z.number(),
    held: z.number(),
    drawdownPercent: z.number(),
  }),
);

/** What it has brought, beside what holding would have. */
export const earnedFields = () => ({
  total: z.string().describe("Equity at the end less what was invested, in quote, exact"),
  totalPercent: z.number(),
  realized: z.string(),
  unrealized: z.string(),
  fees: z.record(z.string(), z.string()),
  cycles: z.number(),
  filledOrders: z.number(),
  invested: z.string().describe("What all slots together can come to use, in quote"),
  startPrice: z.number(),
  endPrice: z.number(),
  holding: z
    .object({ start: z.string(), base: z.string(), quote: z.string() })
    .describe("What was made by keeping the base of the start, by all in base, and by all in quote"),
});

/** What a tape covers that was walked in place of bars. */
export const TapeShape = () =>
  z
    .object({
      prints: z.number().describe("Trades that were walked, one by one"),
      books: z.number().describe("Snapshots of the book that were walked"),
      hasAmounts: z.boolean().describe("false: each print was taken for enough"),
      from: z.number(),
      until: z.number(),
      gaps: z.number().describe("Times of more than a minute without a print"),
      longestGap: z.number().describe("Milliseconds"),
      duplicates: z.number().describe("Rows told twice, of which one counts"),
      refusedRows: z.number().describe("Rows that could not be read"),
      refused: z.array(
        z.object({
          row: z.string().describe('Its place in what was read, as "line 12"'),
          reason: z.string(),
        }),
      ),
      hash: z.string(),
      queue: z
        .enum(["trades", "proportional"])
        .nullable()
        .describe("What moved orders forward at their prices; null without books"),
    })
    .nullable()
    .describe("What was recorded event by event, where that was walked in place of bars");
