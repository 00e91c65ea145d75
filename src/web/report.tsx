import { useState } from "hono/jsx/dom";
import { change, inPercent, money, toneOf } from "./format.ts";
import { useLoad } from "./load.ts";
import { linkTo } from "./route.ts";
import { Table, type TableColumn } from "./table.tsx";
import type { ReportAnswer } from "./types.ts";
import { Section, Shown, Stat, Time } from "./ui.tsx";

const SPANS = [
  ["day", "Today, UTC"],
  ["week", "7 days"],
  ["month", "30 days"],
] as const;

/** Formats a share; it is unknown for a single moment. */
const shareOrNone = (percent: number | null): string =>
  percent === null ? "not known yet" : inPercent(percent, 1);

/** The report page: P&L by day, week or month. */
export function ReportPage() {
  const [span, setSpan] = useState<string>("week");
  const report = useLoad<ReportAnswer>("GET /report", { [span]: true });
  return (
    <>
      <h1>Report</h1>
      <div class="tabs" role="group" aria-label="Period">
        {SPANS.map(([name, label]) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === span ? "true" : "false"}
            onClick={() => setSpan(name)}
          >
            {label}
          </button>
        ))}
      </div>
      <Shown of={report} rows={8}>
        {(data) => <ReportView data={data} />}
      </Shown>
    </>
  );
}

const REPORT_ROW_COLUMNS: readonly TableColumn<ReportAnswer["strategies"][number]>[] = [
  {
    name: "Pair",
    isHead: true,
    of: ({ id, symbol, exchange, dryRun }) => (
      <>
        <a href={linkTo("strategy", id)}>{symbol}</a>
        <small>{dryRun ? `${exchange} (paper trading)` : exchange}</small>
      </>
    ),
    by: ({ symbol }) => symbol,
  },
  {
    name: "Total",
    isNumber: true,
    of: ({ totalProfit }) => <span class={toneOf(totalProfit)}>{change(totalProfit)}</span>,
    by: ({ totalProfit }) => totalProfit,
  },
  {
    name: "Realized",
    isNumber: true,
    of: ({ realizedProfit }) => change(realizedProfit),
    by: ({ realizedProfit }) => realizedProfit,
  },
  { name: "Fees", isNumber: true, of: ({ fees }) => money(fees), by: ({ fees }) => fees },
  { name: "Cycles", isNumber: true, of: ({ cycles }) => cycles, by: ({ cycles }) => cycles },
  { name: "In range", isNumber: true, of: ({ inRangePercent }) => shareOrNone(inRangePercent) },
  {
    name: "Uptime",
    isNumber: true,
    of: ({ uptimePercent }) => shareOrNone(uptimePercent),
  },
  {
    name: "Incidents",
    isNumber: true,
    of: ({ incidents }) => incidents,
    by: ({ incidents }) => incidents,
  },
];

const ReportView = ({ data }: { data: ReportAnswer }) => (
  <>
    {data.totals.map((total) => (
      <QuoteTotals key={`${total.quote} ${total.dryRun}`} total={total} />
    ))}
    <Section title="By strategy">
      <Table
        label="By strategy"
        columns={REPORT_ROW_COLUMNS}
        rows={data.strategies}
        keyOf={({ id }) => id}
        empty="No data for this period yet. A running server records each day."
      />
      <p class="quiet">
        From <Time at={data.from} /> to <Time at={data.to} />.
      </p>
    </Section>
  </>
);

const QuoteTotals = ({ total }: { total: ReportAnswer["totals"][number] }) => (
  <dl class="stats" aria-label={`Totals in ${total.quote}`}>
    <Stat
      name={`Total, ${total.quote}${total.dryRun ? " (paper trading)" : ""}`}
      tone={`large ${toneOf(total.totalProfit)}`}
    >
      {change(total.totalProfit)}
    </Stat>
    <Stat name="Realized" tone={toneOf(total.realizedProfit)}>
      {change(total.realizedProfit)}
    </Stat>
    <Stat name="Fees">{money(total.fees)}</Stat>
    <Stat name="Cycles">{total.cycles}</Stat>
    <Stat name="Filled orders">{total.filledOrders}</Stat>
    <Stat name="Incidents" tone={total.incidents > 0 ? "warn" : ""}>
      {total.incidents}
    </Stat>
  </dl>
);
