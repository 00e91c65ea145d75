import type { Child } from "hono/jsx";
import { Fact, htmlPage } from "../kernel/html.tsx";
import { type Pair, splitPair } from "../kernel/pair.ts";
import { plainTexts, pluralize } from "../kernel/plain-text.ts";
import { minuteText } from "../kernel/time.ts";
import type { BacktestAnswer, GridDetails } from "./schema/answer.ts";
import { isOfGrid, NO_WIDTH, QUEUE_TEXTS } from "./schema/answer-view.ts";

/** Renders a backtest's result with charts as a single self-contained page. */
export function reportOf(result: BacktestAnswer): string {
  const answer = plainTexts(result) as BacktestAnswer;
  const { symbol, exchange, warnings } = answer;
  const span = `${minuteText(answer.fromAt)} to ${minuteText(answer.untilAt)} UTC`;
  const body = (
    <>
      <p>{`${span}, ${describePast(answer)}, money in ${splitPair(symbol as Pair).quote}`}</p>
      {warnings.length > 0 && (
        <ul class="warnings">
          {warnings.map(({ message }) => (
            <li>{message}</li>
          ))}
        </ul>
      )}
      <dl>{facts(answer)}</dl>
      {chartFigure("Price, levels and fills: buys green, sells red", priceChart(answer))}
      {chartFigure("Equity (solid) and buy and hold (dashed)", equityChart(answer))}
      {chartFigure("Below the highest equity so far, %", drawdownChart(answer))}
      {isOfGrid(answer.details) &&
        chartFigure("Cycles of each slot, lowest first", slotChart(answer.details))}
    </>
  );
  return htmlPage({
    title: `${symbol} at ${exchange}, a backtest of ${answer.definition}`,
    style: CHART_STYLE,
    body,
  });
}

function describePast({ bars, missingBars, tape }: BacktestAnswer): string {
  if (!tape) return `${pluralize(bars, "bar")}${missingBars > 0 ? `, ${missingBars} missing` : ""}`;
  const { books, queue, hasAmounts } = tape;
  const amounts = hasAmounts ? "" : " of unknown amount, each assumed to fill a whole order";
  const waits = queue ? `, ${books} books (${QUEUE_TEXTS[queue]})` : "";
  return `${bars} prints${amounts}${waits}`;
}

// Charts stretch to any width while line widths stay; text is next to them, in the page's font size.
const CHART_STYLE = `
:root{--price:#5b6b7b;--buy-and-hold:#b3541e}
@media(prefers-color-scheme:dark){:root{--price:#93a4b5;--buy-and-hold:#f0a36b}}
dl{grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:12px}dd{font-size:1.15rem;overflow-wrap:anywhere}
figure{margin:0 0 28px}figcaption{font-weight:600;margin-bottom:10px}
.chart{display:grid;grid-template-columns:minmax(3.6rem,auto) minmax(0,1fr);column-gap:8px;color:var(--soft);font-size:.8rem;line-height:1}
.chart svg{display:block;width:100%;height:280px;overflow:visible}.chart.low svg{height:160px}
.chart svg *{vector-effect:non-scaling-stroke}
.ticks{display:flex;flex-direction:column;justify-content:space-between;text-align:right;margin:-.5em 0}
.ends{grid-column:2;display:flex;justify-content:space-between;padding-top:10px}
.warnings{border-left:4px solid var(--buy-and-hold);margin:0 0 20px;padding:4px 0 4px 28px}
.level{stroke:var(--line)}.price{stroke:var(--price);fill:none;stroke-width:1.2}
.equity{stroke:var(--gain);fill:none;stroke-width:2}.buy-and-hold{stroke:var(--buy-and-hold);fill:none;stroke-width:1.5;stroke-dasharray:5 4}
.fall{fill:var(--loss);opacity:.35}.bar{fill:var(--gain)}
.buy,.sell{fill:none;stroke:var(--gain);stroke-width:5;stroke-linecap:round}.sell{stroke:var(--loss)}
@media(max-width:600px){.chart svg{height:200px}.chart.low svg{height:120px}.buy,.sell{stroke-width:3}}
`;

function facts(answer: BacktestAnswer) {
  const { drawdown, holding, band, details } = answer;
  const rows: [string, string][] = [
    ["Total", `${short(answer.total)} (${reportedPercent(answer.totalPercent)})`],
    ["Realized", short(answer.realized)],
    ["Unrealized", short(answer.unrealized)],
    ["Buy and hold", short(holding.base)],
    ["Keep the initial base", short(holding.start)],
    ["Max drawdown", `${short(drawdown.amount)} (${reportedPercent(drawdown.percent)})`],
    ["Cycles", String(answer.cycles)],
    [
      "Fees",
      Object.entries(answer.fees)
        .map(([asset, fee]) => `${short(fee)} ${asset}`)
        .join(", ") || "none",
    ],
    isOfGrid(details)
      ? ["Time in range", reportedPercent(details.timeInRangePercent)]
      : ["Both sides open", reportedPercent(details.twoSidedPercent)],
    ["Sharpe", answer.sharpe === null ? "too short" : withMinus(answer.sharpe)],
    ["Invested", short(answer.invested)],
    [
      "Range by candle path and fill rule",
      answer.tape ? NO_WIDTH : band ? `${short(band.total.least)} to ${short(band.total.most)}` : "not run",
    ],
  ];
  return rows.map(([name, value]) => <Fact name={name}>{value}</Fact>);
}

/** Rounds to cents, with more digits below one. */
function short(value: string): string {
  const places = Math.abs(Number(value)) < 1 ? 1e6 : 100;
  return withMinus(Math.round(Number(value) * places) / places);
}

const withMinus = (value: number): string => String(value).replace("-", "−");
const reportedPercent = (value: number): string => `${withMinus(Math.round(value * 100) / 100)}\u00a0%`;

/** A chart with its values at the top and its labels at both ends. */
interface Chart {
  readonly svg: Child;
  readonly ticks: readonly string[];
  readonly ends: readonly [string, string];
  readonly isLow?: boolean;
}

const chartFigure = (caption: string, { svg, ticks, ends, isLow }: Chart) => (
  <figure>
    <figcaption>{caption}</figcaption>
    <div class={isLow ? "chart low" : "chart"}>
      <div class="ticks">{spans(ticks)}</div>
      {svg}
      <div class="ends">{spans(ends)}</div>
    </div>
  </figure>
);

const spans = (texts: readonly string[]) => texts.map((text) => <span>{text}</span>);

const [WIDTH, HEIGHT] = [1000, 300] as const;

interface Scale extends Pick<Chart, "ticks" | "ends"> {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  /** Lines at the ticks. */
  readonly lines: Child;
}

function scaleOf(times: readonly number[], values: readonly number[]): Scale {
  const [from, until] = [times[0] ?? 0, times.at(-1) ?? 1];
  const finite = values.filter(Number.isFinite);
  const least = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const span = most - least || Math.abs(most) || 1;
  const tickValues = [most, (least + most) / 2, least];
  const y = (value: number) => (1 - (value - least) / span) * HEIGHT;
  return {
    x: (at) => ((at - from) / (until - from || 1)) * WIDTH,
    y,
    lines: tickValues.map((value) => levelLine(y(value))),
    ticks: tickValues.map((value) => withMinus(Number(value.toPrecision(Math.abs(value) < 100 ? 3 : 6)))),
    ends: [minuteText(from).slice(0, 10), minuteText(until).slice(0, 10)],
  };
}

const levelLine = (y: number) => <path class="level" d={`M0,${at(y)}H${WIDTH}`} />;

const at = (value: number): string => value.toFixed(1);
const drawing = (inside: Child, label: string) => (
  <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
    {inside}
  </svg>
);
const line = (kind: string, points: readonly (readonly [number, number])[]) => (
  <polyline class={kind} points={points.map(([x, y]) => `${at(x)},${at(y)}`).join(" ")} />
);

function priceChart({ series, details, fills }: BacktestAnswer): Chart {
  const slots = isOfGrid(details) ? details.slots : [];
  const levels = [
    ...new Set(slots.flatMap(({ lowerPrice, upperPrice }) => [lowerPrice, upperPrice].map(Number))),
  ];
  const times = series.map(({ timestamp }) => timestamp);
  const { x, y, lines, ...axes } = scaleOf(times, [...series.map(({ price }) => Number(price)), ...levels]);
  const rungs = levels.map((level) => levelLine(y(level)));
  // A line of zero length with round ends is a dot that stays round when the chart is stretched.
  const marks = (side: "buy" | "sell") => {
    const dots = fills.filter((fill) => fill.side === side);
    const path = dots.map(({ timestamp, price }) => `M${at(x(timestamp))},${at(y(Number(price)))}h0`);
    return <path class={side} d={path.join("")} />;
  };
  const drawn = line(
    "price",
    series.map(({ timestamp, price }) => [x(timestamp), y(Number(price))]),
  );
  const label = "the price over time with the levels and fills";
  return { svg: drawing([lines, rungs, drawn, marks("buy"), marks("sell")], label), ...axes };
}

function equityChart({ series }: BacktestAnswer): Chart {
  const times = series.map(({ timestamp }) => timestamp);
  const values = series.flatMap(({ equity, buyAndHold }) => [equity, buyAndHold].map(Number));
  const { x, y, lines, ...axes } = scaleOf(times, values);
  const buyAndHold = line(
    "buy-and-hold",
    series.map((one) => [x(one.timestamp), y(Number(one.buyAndHold))]),
  );
  const equity = line(
    "equity",
    series.map((one) => [x(one.timestamp), y(Number(one.equity))]),
  );
  const label = "equity over time, compared with buy and hold";
  return { svg: drawing([lines, buyAndHold, equity], label), ...axes };
}

function drawdownChart({ series }: BacktestAnswer): Chart {
  const times = series.map(({ timestamp }) => timestamp);
  const falls = series.map(({ drawdownPercent }) => -drawdownPercent);
  const { x, y, lines, ...axes } = scaleOf(times, [0, ...falls]);
  const points = series.map((one) => `${at(x(one.timestamp))},${at(y(-one.drawdownPercent))}`);
  const [first, last] = [x(times[0] ?? 0), x(times.at(-1) ?? 0)];
  const outline = [`${at(first)},${at(y(0))}`, ...points, `${at(last)},${at(y(0))}`];
  const area = <polygon class="fall" points={outline.join(" ")} />;
  return { svg: drawing([lines, area], "how far equity was below its highest so far"), ...axes, isLow: true };
}

function slotChart({ slots }: GridDetails): Chart {
  const most = slots.reduce((all, { cycles }) => Math.max(all, cycles), 1);
  const width = WIDTH / Math.max(1, slots.length);
  const bars = slots.map(({ lowerPrice, upperPrice, cycles }, i) => {
    const tall = (cycles / most) * HEIGHT;
    const [left, wide] = [at((i + 0.05) * width), at(0.9 * width)];
    return (
      <rect class="bar" x={left} y={at(HEIGHT - tall)} width={wide} height={at(tall)}>
        <title>{`${lowerPrice} to ${upperPrice}: ${pluralize(cycles, "cycle")}`}</title>
      </rect>
    );
  });
  const [low, high] = [slots[0]?.lowerPrice ?? "0", slots.at(-1)?.upperPrice ?? "0"];
  return {
    svg: drawing([levelLine(HEIGHT), bars], "cycles of each slot"),
    ticks: [String(most), "0"],
    ends: [low, high],
    isLow: true,
  };
}
