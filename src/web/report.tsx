import { useState } from "hono/jsx/dom";
import { DayChart } from "./chart/day-chart.tsx";
import { change, type DailyFigures, dailyFigures, inPercent, money, toneOf, utc } from "./format.ts";
import { useLoad } from "./live.ts";
import { nameColumn, profitColumn } from "./strategy/parts.tsx";
import { numberColumn, Table, type TableColumn } from "./table.tsx";
import type { ReportAnswer } from "./types.ts";
import { ChangeStat, Choice, Field, PressedChoice, SaveButton, Section, Shown, Stat } from "./ui.tsx";

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
  const [span, setSpan] = useState<(typeof SPANS)[number][0]>("week");
  const report = useLoad<ReportAnswer>("GET /report", { [span]: true });
  return (
    <>
      <h1>Report</h1>
      <PressedChoice label="Period" value={span} choices={SPANS} choose={setSpan} />
      <Shown of={report} rows={8}>
        {(data) => <ReportView data={data} />}
      </Shown>
      <TaxTable />
    </>
  );
}

const REPORT_ROW_COLUMNS: readonly TableColumn<ReportAnswer["strategies"][number]>[] = [
  nameColumn(),
  profitColumn("Total", ({ totalProfit }) => totalProfit),
  numberColumn("Realized", ({ realizedProfit }) => Number(realizedProfit), change),
  numberColumn("Fees", ({ fees }) => Number(fees), money),
  numberColumn("Cycles", ({ cycles }) => cycles),
  { name: "In range", isNumber: true, of: ({ inRangePercent }) => shareOrNone(inRangePercent) },
  {
    name: "Uptime",
    isNumber: true,
    of: ({ uptimePercent }) => shareOrNone(uptimePercent),
  },
  numberColumn("Incidents", ({ incidents }) => incidents),
];

const utcMinute = (at: number): string => utc(at).slice(0, 16);

const DAY_COLUMNS: readonly TableColumn<DailyFigures["days"][number]>[] = [
  { name: "Day, UTC", isHead: true, of: ({ day }) => day },
  { name: "P&L", isNumber: true, of: ({ profit }) => <span class={toneOf(profit)}>{change(profit)}</span> },
  { name: "Sum", isNumber: true, of: ({ sum }) => change(sum) },
];

const ReportView = ({ data }: { data: ReportAnswer }) => (
  <>
    {data.totals.map((total) => (
      <QuoteTotals key={`${total.quote} ${total.mode}`} total={total} data={data} />
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
        From {utcMinute(data.from)} to {utcMinute(data.to)} UTC.
      </p>
    </Section>
  </>
);

function QuoteTotals({ total, data }: { total: ReportAnswer["totals"][number]; data: ReportAnswer }) {
  const { quote, mode } = total;
  const figures = dailyFigures(data.days.filter((one) => one.quote === quote && one.mode === mode));
  const name = `${quote}${mode === "paper" ? " (paper trading)" : ""}`;
  return (
    <>
      <dl class="stats" aria-label={`Totals in ${quote}`}>
        <ChangeStat name={`Total, ${name}`} of={total.totalProfit} isLarge />
        <ChangeStat name="Realized" of={total.realizedProfit} />
        <Stat name="Max drawdown, by day" tone={figures.drawdown > 0 ? "down" : ""}>
          {money(figures.drawdown)}
        </Stat>
        <Stat name="Fees">{money(total.fees)}</Stat>
        <Stat name="Cycles">{total.cycles}</Stat>
        <Stat name="Filled orders">{total.filledOrders}</Stat>
        <Stat name="Incidents" tone={total.incidents > 0 ? "warn" : ""}>
          {total.incidents}
        </Stat>
      </dl>
      {figures.days.length > 0 ? (
        <Section title={`By day, ${name}`}>
          {figures.days.length > 1 ? <DayBars figures={figures} quote={quote} /> : null}
          <Table
            label={`P&L by day, ${name}`}
            columns={DAY_COLUMNS}
            rows={figures.days.toReversed()}
            keyOf={({ day }) => day}
            empty="No days yet."
          />
        </Section>
      ) : null}
    </>
  );
}

/** Saves each sale of a year with its cost and gain. */
function TaxTable() {
  const now = new Date().getUTCFullYear();
  const [year, setYear] = useState(String(now));
  const query = { from: `${year}-01-01`, to: `${year}-12-31` };
  return (
    <Section title="Tax table">
      <p class="quiet">
        Each sale of the year with its cost and gain, by first in, first out and by average cost.
      </p>
      <div class="fields line">
        <Field label="Year, UTC">
          <Choice value={year} choices={[now, now - 1, now - 2].map(String)} choose={setYear} />
        </Field>
        <SaveButton
          label="Save tax table as CSV"
          route="GET /report"
          query={{ ...query, disposals: true }}
          format="csv"
          file={`sales-${year}`}
        />
      </div>
    </Section>
  );
}

/** Bars of P&L by day, and their sum as a line. */
export const DayBars = ({ figures: { days }, quote }: { figures: DailyFigures; quote: string }) => (
  <DayChart
    days={days.map(({ day, profit, sum }) => ({
      day,
      sum,
      bars: [
        { color: profit < 0 ? "down" : "up", value: profit, title: `${day}: ${change(profit)} ${quote}` },
      ],
    }))}
    label={`P&L by day from ${days[0]?.day} to ${days.at(-1)?.day}: ${change(days.at(-1)?.sum ?? 0)} ${quote} in all`}
    caption={(range) => `P&L by day (bars) and their sum (line), ${range} ${quote}; days in UTC`}
  />
);
