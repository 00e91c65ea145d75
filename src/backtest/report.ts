import { stampOf } from "../candles/stamp.ts";
import { escaped, htmlPage } from "../kernel/html.ts";
import type { BacktestAnswer } from "./schema/answer.ts";

/** One page that needs nothing else: what a backtest has come to, drawn as it came about. */
export function reportOf(answer: BacktestAnswer): string {
  const { symbol, exchange, warnings } = answer;
  const title = `${symbol} at ${exchange}, a grid's backtest`;
  const body = `<p>${stamp(answer.fromAt)} to ${stamp(answer.untilAt)}, ${answer.bars} bars${answer.missingBars > 0 ? `, ${answer.missingBars} missing` : ""}</p>
${warnings.length > 0 ? `<ul class="warnings">${warnings.map(({ message }) => `<li>${escaped(message)}</li>`).join("")}</ul>` : ""}
<dl>${facts(answer)}</dl>
${figure("Price, levels and fills", priceChart(answer))}
${figure("Equity (solid) against all in base (dashed)", equityChart(answer))}
${figure("Below the highest equity so far, %", drawdownChart(answer))}
${figure("Cycles of each slot, lowest first", slotChart(answer))}`;
  return htmlPage({ title, style: CHART_STYLE, body });
}

const CHART_STYLE = `
:root{--price:#5b6b7b;--held:#b3541e}
@media(prefers-color-scheme:dark){:root{--price:#93a4b5;--held:#f0a36b}}
dl{grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:12px}dd{font-size:1.15rem;overflow-wrap:anywhere}
figure{margin:0 0 28px}figcaption{font-weight:600;margin-bottom:6px}svg{display:block;width:100%;height:auto}
.warnings{border-left:4px solid var(--held);margin:0 0 20px;padding:4px 0 4px 28px}
text{fill:var(--soft);font:13px system-ui,sans-serif}.level{stroke:var(--line)}.price{stroke:var(--price);fill:none;stroke-width:1.2}
.equity{stroke:var(--gain);fill:none;stroke-width:2}.held{stroke:var(--held);fill:none;stroke-width:1.5;stroke-dasharray:5 4}
.fall{fill:var(--loss);opacity:.35}.buy{fill:var(--gain)}.sell{fill:var(--loss)}.bar{fill:var(--gain)}
@media(max-width:600px){text{font-size:26px}}
`;

const stamp = (at: number): string => stampOf(at);

function facts(answer: BacktestAnswer): string {
  const { drawdown, holding, band } = answer;
  const rows: [string, string][] = [
    ["Total", `${short(answer.total)} (${answer.totalPercent} %)`],
    ["Realised", short(answer.realized)],
    ["Unrealised", short(answer.unrealized)],
    ["All in base instead", short(holding.base)],
    ["Base of the start, kept", short(holding.start)],
    ["Greatest fall", `${drawdown.amount} (${drawdown.percent} %)`],
    ["Cycles", String(answer.cycles)],
    [
      "Fees",
      Object.entries(answer.fees)
        .map(([asset, fee]) => `${short(fee)} ${asset}`)
        .join(", ") || "none",
    ],
    ["Time in range", `${answer.timeInRangePercent} %`],
    ["Sharpe", answer.sharpe === null ? "too short to tell" : String(answer.sharpe)],
    ["Invested", short(answer.invested)],
    ["Band of bar orders", band ? `${short(band.total.least)} to ${short(band.total.most)}` : "not run"],
  ];
  return rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`).join("");
}

/** Whole cents, and more digits of what is less than one. */
function short(value: string): string {
  const places = Math.abs(Number(value)) < 1 ? 1e6 : 100;
  return String(Math.round(Number(value) * places) / places);
}

const figure = (caption: string, svg: string): string =>
  `<figure><figcaption>${caption}</figcaption>${svg}</figure>`;

const [WIDTH, HEIGHT, LEFT] = [1080, 320, 72] as const;

interface Scale {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  readonly ticks: string;
}

/** A frame with three lines of values and the times of both ends. */
function scaleOf(times: readonly number[], values: readonly number[], height: number = HEIGHT): Scale {
  const [from, until] = [times[0] ?? 0, times.at(-1) ?? 1];
  const finite = values.filter(Number.isFinite);
  const least = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const span = most - least || Math.abs(most) || 1;
  const x = (at: number) => LEFT + ((at - from) / (until - from || 1)) * (WIDTH - LEFT - 8);
  const y = (value: number) => 10 + (1 - (value - least) / span) * (height - 40);
  const lines = [least, (least + most) / 2, most].map(
    (value) =>
      `<line class="level" x1="${LEFT}" x2="${WIDTH - 8}" y1="${at(y(value))}" y2="${at(y(value))}"/><text x="0" y="${at(y(value) + 4)}">${number(value)}</text>`,
  );
  const ends = `<text x="${LEFT}" y="${height - 6}">${stamp(from).slice(0, 10)}</text><text x="${WIDTH - 8}" y="${height - 6}" text-anchor="end">${stamp(until).slice(0, 10)}</text>`;
  return { x, y, ticks: lines.join("") + ends };
}

const at = (value: number): string => value.toFixed(1);
const number = (value: number): string => String(Number(value.toPrecision(6)));
const svg = (inside: string, label: string, height: number = HEIGHT): string =>
  `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">${inside}</svg>`;
const line = (kind: string, points: readonly (readonly [number, number])[]): string =>
  `<polyline class="${kind}" points="${points.map(([x, y]) => `${at(x)},${at(y)}`).join(" ")}"/>`;

function priceChart({ series, slots, fills }: BacktestAnswer): string {
  const levels = [...new Set(slots.flatMap(({ lowerPrice, upperPrice }) => [lowerPrice, upperPrice]))];
  const times = series.map(({ timestamp }) => timestamp);
  const { x, y, ticks } = scaleOf(times, [...series.map(({ price }) => price), ...levels]);
  const rungs = levels.map(
    (level) =>
      `<line class="level" x1="${LEFT}" x2="${WIDTH - 8}" y1="${at(y(level))}" y2="${at(y(level))}"/>`,
  );
  const marks = fills.map(
    ({ timestamp, side, price }) =>
      `<circle class="${side}" cx="${at(x(timestamp))}" cy="${at(y(price))}" r="2.5"/>`,
  );
  const drawn = line(
    "price",
    series.map(({ timestamp, price }) => [x(timestamp), y(price)]),
  );
  return svg(
    ticks + rungs.join("") + drawn + marks.join(""),
    "the price over time with the grid's levels and fills",
  );
}

function equityChart({ series }: BacktestAnswer): string {
  const times = series.map(({ timestamp }) => timestamp);
  const { x, y, ticks } = scaleOf(
    times,
    series.flatMap(({ equity, held }) => [equity, held]),
  );
  const held = line(
    "held",
    series.map((one) => [x(one.timestamp), y(one.held)]),
  );
  const equity = line(
    "equity",
    series.map((one) => [x(one.timestamp), y(one.equity)]),
  );
  return svg(ticks + held + equity, "equity over time, and what all in base would be worth");
}

function drawdownChart({ series }: BacktestAnswer): string {
  const times = series.map(({ timestamp }) => timestamp);
  const height = 180;
  const { x, y, ticks } = scaleOf(
    times,
    [0, ...series.map(({ drawdownPercent }) => -drawdownPercent)],
    height,
  );
  const points = series.map((one) => `${at(x(one.timestamp))},${at(y(-one.drawdownPercent))}`);
  const [first, last] = [x(times[0] ?? 0), x(times.at(-1) ?? 0)];
  const area = `<polygon class="fall" points="${at(first)},${at(y(0))} ${points.join(" ")} ${at(last)},${at(y(0))}"/>`;
  return svg(ticks + area, "how far equity was below its highest so far", height);
}

function slotChart({ slots }: BacktestAnswer): string {
  const height = 180;
  const most = slots.reduce((all, { cycles }) => Math.max(all, cycles), 1);
  const width = (WIDTH - LEFT - 8) / Math.max(1, slots.length);
  const bars = slots.map(({ lowerPrice, upperPrice, cycles }, i) => {
    const tall = (cycles / most) * (height - 40);
    return `<rect class="bar" x="${at(LEFT + i * width + 1)}" y="${at(height - 30 - tall)}" width="${at(Math.max(1, width - 2))}" height="${at(tall)}"><title>${lowerPrice} to ${upperPrice}: ${cycles} cycles</title></rect>`;
  });
  const [low, high] = [slots[0]?.lowerPrice ?? 0, slots.at(-1)?.upperPrice ?? 0];
  const words = `<text x="0" y="16">${most}</text><text x="${LEFT}" y="${height - 8}">${low}</text><text x="${WIDTH - 8}" y="${height - 8}" text-anchor="end">${high}</text>`;
  return svg(words + bars.join(""), "cycles of each slot", height);
}
