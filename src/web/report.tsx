import { useState } from "hono/jsx/dom";
import {
  change,
  type DailyFigures,
  dailyFigures,
  inPercent,
  money,
  pairOf,
  periodRateText,
  toneOf,
  utc,
  yearlyOfAll,
} from "./format.ts";
import { useLoad } from "./live.ts";
import { nameColumn, profitColumn } from "./strategy/parts.tsx";
import { numberColumn, Table, type TableColumn } from "./table.tsx";
import type { Grid, ReportAnswer, Status } from "./types.ts";
import { ChangeStat, Choice, Field, SaveButton, Section, Shown, Stat } from "./ui.tsx";

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
  const grids = useLoad<Status>("GET /strategy/grid/status");
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
        {(data) => <ReportView data={data} grids={grids.data?.strategies ?? []} />}
      </Shown>
      <TaxTable />
    </>
  );
}

const REPORT_ROW_COLUMNS: readonly TableColumn<ReportAnswer["strategies"][number]>[] = [
  nameColumn(
    ({ kind }) => kind,
    undefined,
    () => null,
  ),
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

interface ReportProps {
  readonly data: ReportAnswer;
  /** Running grids, whose capital is known. */
  readonly grids: readonly Grid[];
}

const DAY_COLUMNS: readonly TableColumn<DailyFigures["days"][number]>[] = [
  { name: "Day, UTC", isHead: true, of: ({ day }) => day },
  { name: "P&L", isNumber: true, of: ({ profit }) => <span class={toneOf(profit)}>{change(profit)}</span> },
  { name: "Sum", isNumber: true, of: ({ sum }) => change(sum) },
];

const [WIDTH, HEIGHT] = [600, 160] as const;
const MAX_DAY_BAR_WIDTH = 24;

const ReportView = ({ data, grids }: ReportProps) => (
  <>
    {data.totals.map((total) => (
      <QuoteTotals key={`${total.quote} ${total.dryRun}`} total={total} data={data} grids={grids} />
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

/** Returns the yearly rate of the running grids of a quote asset, as text. */
function rateText({ total, data, grids }: TotalsProps): string {
  const parts = data.strategies.flatMap(({ id, symbol, dryRun, totalProfit }) => {
    const grid = grids.find((one) => one.id === id);
    const isOf = pairOf(symbol).quote === total.quote && dryRun === total.dryRun;
    if (!grid || !isOf) return [];
    const millis = Math.min(grid.runningTime, data.to - data.from);
    return [{ profit: Number(totalProfit), capital: grid.investment, millis }];
  });
  return periodRateText(yearlyOfAll(parts), data.to - data.from);
}

type TotalsProps = ReportProps & { readonly total: ReportAnswer["totals"][number] };

function QuoteTotals(props: TotalsProps) {
  const { total, data } = props;
  const { quote, dryRun } = total;
  const figures = dailyFigures(data.days.filter((one) => one.quote === quote && one.dryRun === dryRun));
  const name = `${quote}${dryRun ? " (paper trading)" : ""}`;
  return (
    <>
      <dl class="stats" aria-label={`Totals in ${quote}`}>
        <ChangeStat name={`Total, ${name}`} of={total.totalProfit} isLarge />
        <ChangeStat name="Realized" of={total.realizedProfit} />
        <Stat name="Yearly rate of running grids">{rateText(props)}</Stat>
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
          <DayBars figures={figures} quote={quote} />
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
function DayBars({ figures: { days }, quote }: { figures: DailyFigures; quote: string }) {
  const last = days.at(-1);
  const first = days[0];
  if (!last || !first) return null;
  const values = [0, ...days.flatMap(({ profit, sum }) => [profit, sum])];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = WIDTH / days.length;
  const y = (value: number) => HEIGHT - ((value - least) / Math.max(1e-9, most - least)) * HEIGHT;
  const x = (at: number) => (at + 0.5) * step;
  const wide = Math.min(step * 0.7, MAX_DAY_BAR_WIDTH);
  const line = days.map(({ sum }, at) => `${x(at).toFixed(1)},${y(sum).toFixed(1)}`).join(" ");
  return (
    <figure class="equity">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`P&L by day from ${first.day} to ${last.day}: ${change(last.sum)} ${quote} in all`}
      >
        {days.map(({ day, profit }, at) => (
          <rect
            key={day}
            class={profit < 0 ? "down" : "up"}
            x={(x(at) - wide / 2).toFixed(1)}
            width={wide.toFixed(1)}
            y={Math.min(y(0), y(profit)).toFixed(1)}
            height={Math.max(0.5, Math.abs(y(profit) - y(0))).toFixed(1)}
          >
            <title>{`${day}: ${change(profit)} ${quote}`}</title>
          </rect>
        ))}
        <line class="zero" x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        <polyline class="own" points={line} />
      </svg>
      <figcaption class="quiet">
        P&L by day (bars) and their sum (line), {change(least)} to {change(most)} {quote}; days in UTC
      </figcaption>
    </figure>
  );
}
