import * as z from "zod";
import { fieldsCsv } from "../../kernel/csv.ts";
import { AppError } from "../../kernel/errors.ts";
import { flagField } from "../../kernel/fields.ts";
import { centsOfProfit, moneyText } from "../../kernel/plain-text.ts";
import { dayOf } from "../../kernel/time.ts";
import { type Operation, operation } from "../../operation.ts";
import { formatShare, reportOver } from "../figures.ts";
import { reportPage } from "../page.tsx";
import { type Report, type ReportRow, ReportShape, type ReportTotal } from "../schema.ts";
import type { ReportDeps } from "../store.ts";
import { disposalOperation } from "./disposals.ts";

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

const profitView = ({
  dryRun,
  totalProfit,
  realizedProfit,
}: Pick<ReportRow, "dryRun" | "totalProfit" | "realizedProfit">) => ({
  ...(dryRun ? { mode: "paper trading" } : {}),
  total: centsOfProfit(totalProfit),
  realized: centsOfProfit(realizedProfit),
});

const figuresView = (row: ReportTotal | ReportRow) => ({
  ...profitView(row),
  fees: moneyText(row.fees),
  cycles: row.cycles,
  fills: row.filledOrders,
  incidents: row.incidents,
});

/** Formats a report for people; `--json` and CSV have the exact figures. */
function profitReportView(answer: unknown) {
  const { from, to, totals, strategies, days } = answer as Report;
  return {
    from,
    to,
    totals: totals.map((row) => ({ quote: row.quote, ...figuresView(row) })),
    strategies: strategies.map((row) => ({
      strategy: row.name ?? row.id,
      market: `${row.symbol} on ${row.exchange}`,
      ...figuresView(row),
      "in range": formatShare(row.inRangePercent),
      uptime: formatShare(row.uptimePercent),
    })),
    days: days.map((row) => ({ day: row.day, quote: row.quote, ...profitView(row) })),
  };
}

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
      view: profitReportView,
      columns: [
        "strategy",
        "day",
        "quote",
        "total",
        "realized",
        "fees",
        "cycles",
        "uptime",
        "incidents",
        "market",
        "fills",
        "in range",
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
    async run({ reports, store }: ReportDeps, request) {
      const names = (Object.keys(SPAN_DAYS) as SpanName[]).filter((name) => request[name]);
      if (names.length > 1) throw new AppError("Invalid request", `choose one of ${names.join(", ")}`);
      if (!reports) throw new AppError("Not found", "reports are not available here");
      const today = dayOf(await store.now());
      const from = today - SPAN_DAYS[names[0] ?? "day"] + 1;
      const { days, ...known } = await reports.daysOf(from, today);
      return reportOver(days, { from, to: today, ...known });
    },
  }),
  disposalOperation,
];
