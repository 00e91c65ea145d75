import * as z from "zod";
import { fieldsCsv } from "../../kernel/csv.ts";
import { AppError } from "../../kernel/errors.ts";
import { flagField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { dayOf } from "../../kernel/time.ts";
import { type Operation, operation } from "../../operation.ts";
import { reportPage } from "../page.tsx";
import { type Report, type ReportRow, reportOver } from "../report.ts";
import { disposalOperation } from "./disposals.ts";

const reportFigures = () => ({
  totalProfit: z.number().describe("P&L of the period, realized and unrealized, in quote"),
  realizedProfit: z.number().describe("Realized part of it"),
  fees: z.number().describe("Fees of the period, in quote"),
  cycles: z.number().describe("Number of completed cycles"),
  filledOrders: z.number(),
  incidents: z.number().describe("Number of events at level alert or warning"),
});

export const ReportShape = lazy(() =>
  z.object({
    from: z.number(),
    to: z.number(),
    totals: z.array(z.object({ quote: z.string(), dryRun: z.boolean(), ...reportFigures() })),
    strategies: z.array(
      z.object({
        id: z.string(),
        name: z.string().nullable(),
        kind: z.string().nullable().describe("grid, quote or declared"),
        exchange: z.string(),
        dryRun: z.boolean(),
        symbol: z.string(),
        ...reportFigures(),
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
          dryRun: z.boolean(),
          totalProfit: z.number().describe("P&L of the day, in quote"),
          realizedProfit: z.number().describe("Realized part of it"),
        }),
      )
      .describe("P&L of each day, oldest first"),
    count: z.number(),
  }),
);

const SPAN_DAYS = { day: 1, week: 7, month: 30 } as const;
type SpanName = keyof typeof SPAN_DAYS;

const REPORT_COLUMNS: readonly (keyof ReportRow)[] = [
  "id",
  "name",
  "exchange",
  "symbol",
  "dryRun",
  "totalProfit",
  "realizedProfit",
  "fees",
  "cycles",
  "filledOrders",
  "inRangePercent",
  "uptimePercent",
  "incidents",
];

export const reportOperations: readonly Operation[] = [
  operation({
    name: "get_report",
    summary: "Show P&L of a day, a week or a month",
    effect: "read",
    access: "token",
    lane: "heavy",
    http: { route: "GET /report", from: "query" },
    cli: {
      path: "report",
      columns: [
        ...[
          "id",
          "name",
          "day",
          "quote",
          "totalProfit",
          "realizedProfit",
          "fees",
          "cycles",
          "uptimePercent",
          "incidents",
        ],
        ...["symbol", "exchange", "filledOrders", "inRangePercent"],
      ],
      examples: [
        "edgemaker report --week",
        "edgemaker report --month --format csv",
        "edgemaker report --month --format html > report.html",
      ],
    },
    mcp: { isSelfContained: true },
    failure: "Internal error",
    input: () =>
      z.object({
        day: flagField("Invalid request", "day").optional().describe("Today so far, in UTC: the default"),
        week: flagField("Invalid request", "week").optional().describe("Today and the six days before"),
        month: flagField("Invalid request", "month").optional().describe("Today and the 29 days before"),
      }),
    output: ReportShape,
    html: reportPage,
    csv: (answer) => fieldsCsv(REPORT_COLUMNS, (answer as Report).strategies),
    async run({ reports, store }, request) {
      const names = (Object.keys(SPAN_DAYS) as SpanName[]).filter((name) => request[name]);
      if (names.length > 1) throw new AppError("Invalid request", `choose one of ${names.join(", ")}`);
      if (!reports) throw new AppError("Not found", "reports are not available here");
      const today = dayOf(await store.now());
      const from = today - SPAN_DAYS[names[0] ?? "day"] + 1;
      const { days, ...known } = await reports.daysOf(from, today);
      const report = reportOver(days, { from, to: today, ...known });
      const { totals, strategies, days: byDay } = report;
      return { ...report, totals: [...totals], strategies: [...strategies], days: [...byDay] };
    },
  }),
  disposalOperation,
];
