import type { Child } from "hono/jsx";
import { DataTable, Fact, htmlPage } from "../kernel/html.tsx";
import { centsOfProfit, moneyText, plainTexts, pluralize } from "../kernel/plain-text.ts";
import { minuteText } from "../kernel/time.ts";
import { calledBy } from "../model/strategy.ts";
import { formatShare } from "./figures.ts";
import type { Report, ReportRow, ReportTotal } from "./schema.ts";

/** Renders a single self-contained page: sums by quote asset first, then each strategy. */
export function reportPage(answer: unknown): string {
  const { from, to, totals, strategies } = plainTexts(answer) as Report;
  const [start, end] = [minuteText(from), minuteText(to)];
  const body = (
    <>
      <p>{`${start} to ${end}, UTC`}</p>
      {totals.length === 0 && <p>No strategy was running.</p>}
      <dl>{totals.map(totalCard)}</dl>
      {strategies.length > 0 && <DataTable heads={HEADS} rows={strategies.map(strategyRow)} />}
    </>
  );
  const title = `edgemaker report, ${start.slice(0, 10)} to ${end.slice(0, 10)}`;
  return htmlPage({ title, style: TOTALS_STYLE, body });
}

const TOTALS_STYLE = "dl{grid-template-columns:repeat(auto-fill,minmax(260px,1fr))}dd b{font-size:1.3rem}";

function totalCard(total: ReportTotal) {
  const rest = `${centsOfProfit(total.realizedProfit)} realized, fees ${moneyText(total.fees)}, ${pluralize(total.cycles, "cycle")}, ${pluralize(total.filledOrders, "order")} filled, ${pluralize(total.incidents, "incident")}`;
  return (
    <Fact name={`Total in ${total.quote}${total.mode === "paper" ? " (paper trading)" : ""}`}>
      <b class={tone(total.totalProfit)}>{centsOfProfit(total.totalProfit)}</b>
      <br />
      {rest}
    </Fact>
  );
}

const HEADS = ["Strategy", "Pair", "Total", "Realized", "Fees", "Cycles", "In range", "Up", "Incidents"];

const tone = (value: string): string => (Number(value) < 0 ? "loss" : Number(value) > 0 ? "gain" : "");

const strategyRow = (row: ReportRow): Child[] => [
  calledBy(row),
  `${row.symbol} on ${row.exchange}${row.mode === "paper" ? " (paper trading)" : ""}`,
  <span class={tone(row.totalProfit)}>{centsOfProfit(row.totalProfit)}</span>,
  centsOfProfit(row.realizedProfit),
  moneyText(row.fees),
  row.cycles,
  formatShare(row.inRangePercent),
  formatShare(row.uptimePercent),
  row.incidents,
];
