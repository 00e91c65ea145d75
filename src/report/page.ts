import { countTold } from "../kernel/count-told.ts";
import { escaped, htmlPage } from "../kernel/html.ts";
import { type Millis, stampOf } from "../kernel/time.ts";
import { type Report, type ReportRow, type ReportTotal, shareTold } from "./report.ts";

/** One page that needs nothing else: sums by quote asset first, and then each strategy. */
export function reportPage(answer: unknown): string {
  const { from, to, totals, strategies } = answer as Report;
  const title = `edgemaker report, ${day(from)} to ${day(to)}`;
  const body = `<p>${minuteText(from)} to ${minuteText(to)}, UTC</p>
${totals.length === 0 ? "<p>Nothing ran.</p>" : ""}
<dl>${totals.map(totalCard).join("")}</dl>
${strategies.length === 0 ? "" : strategyTable(strategies)}`;
  return htmlPage({ title, style: TOTALS_STYLE, body });
}

const TOTALS_STYLE = "dl{grid-template-columns:repeat(auto-fill,minmax(260px,1fr))}dd b{font-size:1.3rem}";

function totalCard(total: ReportTotal): string {
  const name = `${total.quote}${total.dryRun ? ", on paper" : ""}`;
  const rest = `${signedMoney(total.realizedProfit)} realised, fees ${shortMoney(total.fees)}, ${countTold(total.cycles, "cycle")}, ${countTold(total.filledOrders, "order")} filled, ${countTold(total.incidents, "incident")}`;
  return `<div><dt>Total in ${escaped(name)}</dt><dd><b class="${tone(total.totalProfit)}">${signedMoney(total.totalProfit)}</b><br>${rest}</dd></div>`;
}

const HEADS = ["Strategy", "Pair", "Total", "Realised", "Fees", "Cycles", "In range", "Up", "Incidents"];

function strategyTable(rows: readonly ReportRow[]): string {
  const heads = HEADS.map((head) => `<th scope="col">${head}</th>`).join("");
  return `<div class="wide"><table><thead><tr>${heads}</tr></thead><tbody>${rows.map(strategyRow).join("")}</tbody></table></div>`;
}

function strategyRow(row: ReportRow): string {
  const cells = [
    `${escaped(row.symbol)} on ${escaped(row.exchange)}${row.dryRun ? ", on paper" : ""}`,
    `<span class="${tone(row.totalProfit)}">${signedMoney(row.totalProfit)}</span>`,
    signedMoney(row.realizedProfit),
    shortMoney(row.fees),
    String(row.cycles),
    shareTold(row.inRangePercent),
    shareTold(row.uptimePercent),
    String(row.incidents),
  ];
  return `<tr><td>${escaped(row.id)}</td>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

const tone = (value: number): string => (value < 0 ? "loss" : value > 0 ? "gain" : "");

/** Cents, and more digits of what is less than one. */
const shortMoney = (value: number): string => String(Number(value.toFixed(Math.abs(value) < 1 ? 6 : 2)));
const signedMoney = (value: number): string => `${value > 0 ? "+" : ""}${shortMoney(value)}`;

const day = (at: Millis): string => minuteText(at).slice(0, 10);
const minuteText = (at: Millis): string => stampOf(at).slice(0, 16).replace("T", " ");
