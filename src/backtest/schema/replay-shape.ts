import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";
import { SIDES } from "../../model/market.ts";

const FiguresShape = () =>
  z.object({
    total: z.string(),
    realized: z.string(),
    cycles: z.number(),
    filledOrders: z.number(),
    fees: z.record(z.string(), z.string()),
    position: z.string(),
  });

const DifferenceShape = () =>
  z.object({
    timestamp: z.number(),
    slot: z.number(),
    side: z.enum(SIDES),
    price: z.string(),
    amount: z.string(),
    where: z.enum(["record", "candles", "both"]).describe("Who filled it: the grid, the backtest or both"),
    cause: z.string(),
    text: z.string(),
  });

/** How a grid's real fills compare with its backtest. */
export const ReplayShape = lazy(() =>
  z.object({
    matchPercent: z
      .number()
      .describe("Share of filled orders that are equal in both, up to the end of the backtest"),
    text: z.string(),
    executed: z
      .object({ same: z.number(), record: z.number(), candles: z.number() })
      .describe("Filled orders of the grid and of the backtest"),
    causes: z.array(z.object({ cause: z.string(), count: z.number(), text: z.string() })),
    differences: z.array(DifferenceShape()),
    record: FiguresShape().describe("The whole stored result, valued at the last close"),
    set: FiguresShape()
      .extend({ bars: z.number() })
      .nullable()
      .describe("The backtest with the config's other settings; null without any"),
  }),
);

export type ReplayDetails = z.input<ReturnType<typeof ReplayShape>>;
