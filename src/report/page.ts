import { escaped } from "../kernel/html.ts";
import type { Millis } from "../kernel/time.ts";
import { type Report, type ReportRow, type ReportTotal, shareTold } from "./report.ts";

/** One page that needs nothing else: sums by quote asset first, and then each strategy. */
export function reportPage(answer: unknown): string {
  const { from, to, totals, strategies } = answer as Report;
  const title = `edgemaker report, ${day(from)} to ${day(to)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${clock(from)} to ${clock(to)}, UTC</p>
${totals.length === 0 ? "<p>Nothing ran.</p>" : ""}
<dl>${totals.map(totalCard).join("")}</dl>
${strategies.length === 0 ? "" : strategyTable(strategies)}
</main>
</body>
</html>
`;
}

const PAGE_STYLE = `
:root{color-scheme:light dark;--ink:#1c1f23;--soft:#5c646b;--line:#d8dce0;--paper:#fff;--gain:#0b6e4f;--loss:#b02a37}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#9aa3ab;--line:#353b41;--paper:#16191c;--gain:#4cc38a;--loss:#f2777f}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:1120px;margin:0 auto;padding:24px 16px}h1{font-size:1.4rem;margin:0}p{margin:.25rem 0 1rem;color:var(--soft)}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(260px,1fr));gap:16px;margin:0 0 24px}
dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-variant-numeric:tabular-nums}dd b{font-size:1.3rem}
.gain{color:var(--gain)}.loss{color:var(--loss)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:6px 10px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}th{color:var(--soft);font-weight:600}
`;

function totalCard(total: ReportTotal): string {
  const name = `${total.quote}${total.dryRun ? ", on paper" : ""}`;
  const rest = `${signed(total.realizedProfit)} realised, fees ${short(total.fees)}, ${total.cycles} cycles, ${total.filledOrders} orders filled, ${total.incidents} incidents`;
  return `<div><dt>Total in ${escaped(name)}</dt><dd><b class="${tone(total.totalProfit)}">${signed(total.totalProfit)}</b><br>${rest}</dd></div>`;
}

const HEADS = ["Strategy", "Pair", "Total", "Realised", "Fees", "Cycles", "In range", "Up", "Incidents"];

function strategyTable(rows: readonly ReportRow[]): string {
  const heads = HEADS.map((head) => `<th scope="col">${head}</th>`).join("");
  return `<div class="wide"><table><thead><tr>${heads}</tr></thead><tbody>${rows.map(strategyRow).join("")}</tbody></table></div>`;
}

function strategyRow(row: ReportRow): string {
  const cells = [
    `${escaped(row.symbol)} on ${escaped(row.exchange)}${row.dryRun ? ", on paper" : ""}`,
    `<span class="${tone(row.totalProfit)}">${signed(row.totalProfit)}</span>`,
    signed(row.realizedProfit),
    short(row.fees),
    String(row.cycles),
    shareTold(row.inRangePercent),
    shareTold(row.uptimePercent),
    String(row.incidents),
  ];
  return `<tr><td>${escaped(row.id)}</td>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

const tone = (value: number): string => (value < 0 ? "loss" : value > 0 ? "gain" : "");

/** Cents, and more digits of what is less than one. */
const short = (value: number): string => String(Number(value.toFixed(Math.abs(value) < 1 ? 6 : 2)));
const signed = (value: number): string => `${value > 0 ? "+" : ""}${short(value)}`;

const day = (at: Millis): string => clock(at).slice(0, 10);
const clock = (at: Millis): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")}`;
