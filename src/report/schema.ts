import * as z from "zod";
import { modeShape } from "../engine/operations/shapes.ts";
import { lazy } from "../kernel/lazy.ts";

const reportFigures = () => ({
  totalProfit: z.string().describe("P&L of the period, realized and unrealized, in quote"),
  realizedProfit: z.string().describe("Realized part of it"),
  fees: z.string().describe("Fees of the period, in quote"),
  cycles: z.number().describe("Number of completed cycles"),
  filledOrders: z.number(),
  incidents: z.number().describe("Number of events at level alert or warning"),
});

export const ReportShape = lazy(() =>
  z.object({
    from: z.number(),
    to: z.number(),
    totals: z.array(z.object({ quote: z.string(), mode: modeShape(), ...reportFigures() })),
    strategies: z.array(
      z.object({
        id: z.string(),
        name: z.string().nullable(),
        kind: z.string().nullable().describe("grid, quote or declared (an own strategy)"),
        exchange: z.string(),
        mode: modeShape(),
        symbol: z.string(),
        ...reportFigures(),
        days: z
          .array(z.string().nullable())
          .describe(
            "P&L of each day in quote, from its first one to the last of the period; null after its last check",
          ),
        inRangePercent: z.number().nullable().describe("Share of the running time; null if unknown"),
        uptimePercent: z
          .number()
          .nullable()
          .describe("Share of the period with passes on time; null if unknown"),
      }),
    ),
    days: z
      .array(
        z.object({
          day: z.string().describe("Day in UTC"),
          quote: z.string(),
          mode: modeShape(),
          totalProfit: z.string().describe("P&L of the day, in quote"),
          realizedProfit: z.string().describe("Realized part of it"),
        }),
      )
      .describe("P&L of each day, oldest first"),
    count: z.number(),
  }),
);

export type Report = z.output<ReturnType<typeof ReportShape>>;
export type ReportRow = Report["strategies"][number];
/** Sums of one quote asset; each mode is separate. */
export type ReportTotal = Report["totals"][number];
/** Sums of one day and one quote asset, which add up to the total of the quote asset. */
export type ReportDay = Report["days"][number];
