import * as z from "zod";
import { fieldsCsv } from "../../kernel/csv.ts";
import { AppError } from "../../kernel/errors.ts";
import { dayField, flagField } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { centsOfProfit, moneyText } from "../../kernel/plain-text.ts";
import { DAY, dayOf } from "../../kernel/time.ts";
import type { Mode } from "../../model/account.ts";
import type { StrategyDay } from "../../model/news.ts";
import { type Operation, operation } from "../../operation.ts";
import { betweenParts } from "../../ports/heavy.ts";
import { daysUntilNow } from "../day.ts";
import { formatShare, reportOver } from "../figures.ts";
import { reportPage } from "../page.tsx";
import { type ReportRow, ReportShape, type ReportTotal } from "../schema.ts";
import type { ReportDeps, ReportStore } from "../store.ts";
import { DISPOSAL_COLUMNS, DisposalShape, disposalsCsv, disposalsView, readDisposals } from "./disposals.ts";

const SPAN_DAYS = { day: 1, week: 7, month: 30 } as const;
type SpanName = keyof typeof SPAN_DAYS;

const ReportWithSalesShape = lazy(() =>
  ReportShape().extend({
    disposals: z.array(DisposalShape()).optional().describe("One row per sale, oldest first"),
  }),
);
type ReportWithSales = z.output<ReturnType<typeof ReportWithSalesShape>>;

const REPORT_COLUMNS: readonly Exclude<keyof ReportRow, "days">[] = [
  "id",
  "name",
  "exchange",
  "symbol",
  "mode",
  "totalProfit",
  "realizedProfit",
  "fees",
  "cycles",
  "filledOrders",
  "inRangePercent",
  "uptimePercent",
  "incidents",
];

const MODE_WORDS: Readonly<Record<Mode, string>> = {
  real: "real money",
  paper: "paper trading",
  simulated: "simulated",
};

type ShownRow = Pick<ReportRow, "mode" | "totalProfit" | "realizedProfit">;

const profitView = ({ mode, totalProfit, realizedProfit }: ShownRow, hasPaper: boolean) => ({
  ...(hasPaper ? { mode: MODE_WORDS[mode] } : {}),
  total: centsOfProfit(totalProfit),
  realized: centsOfProfit(realizedProfit),
});

const figuresView = (row: ReportTotal | ReportRow, hasPaper: boolean) => ({
  ...profitView(row, hasPaper),
  fees: moneyText(row.fees),
  cycles: row.cycles,
  fills: row.filledOrders,
  incidents: row.incidents,
});

/** Formats a report for people; `--json` and CSV have the exact figures. */
function profitReportView(answer: unknown) {
  const { from, to, totals, strategies, days, disposals } = answer as ReportWithSales;
  if (disposals) return disposalsView(disposals);
  const hasPaper = strategies.some(({ mode }) => mode === "paper");
  return {
    from,
    to,
    totals: totals.map((row) => ({ quote: row.quote, ...figuresView(row, hasPaper) })),
    strategies: strategies.map((row) => ({
      strategy: row.name ?? row.id,
      market: `${row.symbol} on ${row.exchange}`,
      ...figuresView(row, hasPaper),
      "in range": formatShare(row.inRangePercent),
      uptime: formatShare(row.uptimePercent),
    })),
    days: days.map((row) => ({ day: row.day, quote: row.quote, ...profitView(row, hasPaper) })),
  };
}

export const reportOperations: readonly Operation[] = [
  operation({
    name: "get_report",
    summary: "Show P&L of a period, or list its sales for a tax return",
    effect: "read",
    access: "token",
    lane: "heavy",
    http: { route: "GET /report", from: "query" },
    cli: {
      path: "report",
      words: {
        disposals: {
          summary: "List each sale with its cost and gain, for a tax return",
          input: { disposals: true },
          fields: ["from", "to"],
        },
      },
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
        ...DISPOSAL_COLUMNS,
      ],
      examples: [
        "edgemaker report --week",
        "edgemaker report --month --format csv",
        "edgemaker report --month --format html > report.html",
        "edgemaker disposals --from 2026-01-01 --to 2026-12-31 --format csv",
      ],
    },
    mcp: { isSelfContained: true },
    failure: "Internal error",
    input: () =>
      z.object({
        day: flagField("Invalid request", "day").optional().describe("Today so far, in UTC: the default"),
        week: flagField("Invalid request", "week").optional().describe("Today and the six days before"),
        month: flagField("Invalid request", "month").optional().describe("Today and the 29 days before"),
        from: dayField("from").optional().describe("First day, in UTC"),
        to: dayField("to").optional().describe("Last day, in UTC; default: today"),
        disposals: flagField("Invalid request", "disposals")
          .optional()
          .describe("Also list each sale with its cost and gain; as CSV, only these"),
      }),
    output: ReportWithSalesShape,
    html: reportPage,
    csv(answer) {
      const { strategies, disposals } = answer as ReportWithSales;
      return disposals ? disposalsCsv(disposals) : fieldsCsv(REPORT_COLUMNS, strategies);
    },
    async run(deps: ReportDeps, { disposals, ...request }, call) {
      const { reports, store, local } = deps;
      if (!reports) throw new AppError("Not found", "reports are not available here");
      const today = dayOf(await store.now());
      const { from, to } = requestedSpan(request, today);
      // Yesterday's rows have the figures with which today began.
      const { days: stored, ...known } = await reports.daysOf(Math.min(from, today - 1), to);
      const report =
        to < today
          ? reportOver(stored, { from, to, ...known })
          : await reportUntilNow(deps, reports, { stored, from, to, ...known });
      if (!disposals) return report;
      const span = { from: from * DAY, to: (to + 1) * DAY };
      return { ...report, disposals: await readDisposals(reports, span, () => betweenParts(local, call)) };
    },
  }),
];

/** Returns the report of days until now; `stored` are their rows, and yesterday's. */
async function reportUntilNow(
  deps: ReportDeps,
  reports: ReportStore,
  { stored, ...span }: { readonly stored: readonly StrategyDay[] } & Parameters<typeof reportOver>[1],
) {
  const last = new Map(stored.map((row) => [row.strategy, row]));
  const running = await deps.store.strategies({ stopped: false, counted: false });
  const ids = new Set(running.map(({ strategy }) => strategy.id));
  // They have stopped since their last check.
  const left = [...last.values()].filter(({ strategy, isFinal }) => !isFinal && !ids.has(strategy));
  const stopped = await Promise.all(
    left.map(({ strategy: id }) => deps.store.strategies({ id, counted: false })),
  );
  const views = [...running, ...stopped.flat()];
  const older = await reports.lastDaysOf([...ids].filter((id) => !last.has(id)));
  const days = daysUntilNow(deps, [...older, ...stored], { views, now: span.now });
  const named = new Map(span.named);
  for (const { strategy } of views)
    named.set(strategy.id, { name: strategy.name ?? null, kind: strategy.kind });
  return reportOver(
    days.filter(({ day }) => day >= span.from),
    { ...span, named },
  );
}

type RequestedSpan = { readonly [field in SpanName | "from" | "to"]?: string | boolean | undefined };

/** Returns the first and the last day of a report. Throws AppError if the request has two periods, or a reversed one. */
function requestedSpan({ from, to, ...flags }: RequestedSpan, today: number) {
  const names = (Object.keys(SPAN_DAYS) as SpanName[]).filter((name) => flags[name]);
  const given = [...names, ...(from === undefined ? [] : ["from"])];
  if (given.length > 1) throw new AppError("Invalid request", `choose one of ${given.join(", ")}`);
  const last = to === undefined ? today : dayOf(Date.parse(String(to)));
  const first =
    from === undefined ? last - SPAN_DAYS[names[0] ?? "day"] + 1 : dayOf(Date.parse(String(from)));
  if (first > last) throw new AppError("Invalid request", "from must be a day before to, or the same day");
  return { from: first, to: last };
}
