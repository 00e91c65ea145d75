import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";
import { SIDES } from "../../model/market.ts";

export const FillShape = lazy(() =>
  z.object({
    timestamp: z.number(),
    slot: z.number(),
    side: z.enum(SIDES),
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
    buyAndHold: z.number(),
    drawdownPercent: z.number(),
  }),
);

/** Fields for the profit, and for buy and hold. */
export const earnedFields = () => ({
  total: z.string().describe("Equity at the end minus the investment, in quote, exact"),
  totalPercent: z.number(),
  realized: z.string(),
  unrealized: z.string(),
  fees: z.record(z.string(), z.string()),
  cycles: z.number(),
  filledOrders: z.number(),
  invested: z.string().describe("Maximum quote that all slots together can use"),
  startPrice: z.number(),
  endPrice: z.number(),
  holding: z
    .object({ start: z.string(), base: z.string(), quote: z.string() })
    .describe("Profit of three alternatives, in quote: keep the first base, buy only base, keep only quote"),
});

/** Description of the tape that was used instead of bars. */
export const TapeShape = () =>
  z
    .object({
      prints: z.number().describe("Number of replayed trades"),
      books: z.number().describe("Number of replayed order books"),
      hasAmounts: z.boolean().describe("false if trades have no amounts, so each one fills a whole order"),
      from: z.number(),
      until: z.number(),
      gaps: z.number().describe("Number of gaps of more than a minute"),
      longestGap: z.number().describe("Milliseconds"),
      duplicates: z.number().describe("Number of duplicate rows"),
      refusedRows: z.number().describe("Number of invalid rows"),
      refused: z.array(
        z.object({
          row: z.string().describe('Position of the row, such as "line 12"'),
          reason: z.string(),
        }),
      ),
      hash: z.string(),
      queue: z.enum(["trades", "proportional"]).nullable().describe("Queue model; null without order books"),
    })
    .nullable()
    .describe("The replayed trades and order books, if --data has them");
