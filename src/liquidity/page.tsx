import { DataTable, Fact, htmlPage } from "../kernel/html.tsx";
import { plainTexts, pluralize } from "../kernel/plain-text.ts";
import { HOUR, minuteText } from "../kernel/time.ts";
import {
  BAND_PERCENTS,
  costPart,
  countText,
  dayHeads,
  dayRows,
  dayTitle,
  depthRows,
  findingRow,
  gapRow,
  NOT_KNOWN,
  type OwnFigures,
  quote,
  RULE_HEADS,
  shownPercent,
  signedPart,
  tradeCostPart,
  tradeDaysPart,
  UPTIME_STYLE,
  uptimeChart,
} from "./page-tables.tsx";
import type { HeadedAnswer, LiquidityAnswer } from "./schema.ts";

/** Renders the report as a single self-contained page that can be sent or printed, with own orders and the market's apart. */
export function liquidityPage(answer: unknown): string {
  const report = plainTexts(answer) as HeadedAnswer;
  const { exchange, symbol, hash } = report;
  const asset = symbol.split("/")[1] ?? "";
  const body = (
    <>
      {headPart(report)}
      {findingsPart(report, asset)}
      {offeredPart(report, asset)}
      {tradeCostPart([[`${symbol} on ${exchange}`, report]], asset)}
      {costPart(
        report.cost === undefined ? undefined : [{ name: `${symbol} on ${exchange}`, cost: report.cost }],
      )}
      {daysPart(report, asset)}
      {legendPart([{ of: "", hash, known: report.known }], report.cost !== undefined)}
    </>
  );
  return htmlPage({ title: `${symbol} on ${exchange}: liquidity report`, style: LIQUIDITY_STYLE, body });
}

const noSpread = (twoSidedPercent: number | null): string =>
  twoSidedPercent === null ? "spread not known" : "no spread";

/** An agreement has its own figure for the time on both sides, so the card of own orders leaves it out. */
const card = (name: string, { twoSidedPercent, spreadPercent }: OwnFigures, hasRule: boolean) => (
  <Fact name={name}>
    <b>{spreadPercent !== null ? `${shownPercent(spreadPercent)} spread` : noSpread(twoSidedPercent)}</b>
    <br />
    {hasRule
      ? "mean of the minutes with both sides"
      : `${shownPercent(twoSidedPercent)} of the time on both sides`}
  </Fact>
);

const sampledCard = ({ minutes, known, uncertainPercent, ...rest }: LiquidityAnswer) => (
  <Fact name="Sampled">
    <b>{`${countText(known)} of ${countText(minutes)} minutes`}</b>
    <br />
    {describeElsewhere(rest)}
    {uncertainPercent !== null && uncertainPercent > 0 && (
      <>
        <br />
        {`${shownPercent(uncertainPercent)} of the time uncertain, counted as down`}
      </>
    )}
  </Fact>
);

/** Renders what was offered on average. */
export const offeredPart = (report: LiquidityAnswer, asset: string) => {
  const { own, market, cutShort } = report;
  return (
    <>
      <h2>What was offered</h2>
      <dl>
        {card("Own orders", own, report.preset !== null)}
        {card("The whole market, including own orders", market, false)}
        {sampledCard(report)}
      </dl>
      <DataTable
        heads={["Mean depth", "Side", ...BAND_PERCENTS.map((band) => `Within ${band} %, ${asset}`)]}
        rows={[...depthRows("Own orders", own), ...depthRows("Whole market", market)]}
      />
      {cutShort > 0 && (
        <p>{`In ${pluralize(countText(cutShort), "minute")} the exchange's book ended less than 2 % from the mid price. The depth of these minutes is at least what is shown.`}</p>
      )}
    </>
  );
};

const gapsPart = ({ gaps, moreGaps }: LiquidityAnswer) => (
  <>
    <h2>Gaps</h2>
    {gaps.length === 0 ? (
      <p>None.</p>
    ) : (
      <DataTable heads={["From, UTC", "Minutes", "What", "Cause"]} rows={gaps.map(gapRow)} kind="words" />
    )}
    {moreGaps > 0 && <p>{`and ${countText(moreGaps)} shorter ones`}</p>}
  </>
);

const [HOURS_WIDTH, HOURS_HEIGHT] = [1080, 90] as const;

/** Renders what was offered by day, with the gaps. */
export const daysPart = (report: LiquidityAnswer, asset: string) => (
  <>
    <h2>{dayTitle(report)}</h2>
    {uptimeChart(report.days)}
    {hourCharts(report.hours, asset)}
    {gapsPart(report)}
    <h2>Days</h2>
    <DataTable heads={dayHeads(asset, report.days)} rows={dayRows(report.days)} kind="days" />
    {signedPart(report.days, true)}
    {tradeDaysPart(report, asset)}
  </>
);

const PRESET_NAMES: Readonly<Record<string, string>> = {
  agreement: "Market-making agreement",
  "gate-score": "Gate's market maker score",
  "mexc-st": "MEXC's ST rules",
  "bitget-st": "Bitget's ST policy",
  "binance-flags": "Binance's red flags",
};

const headPart = ({ maker, exchange, symbol, from, to, madeAt, preset, terms }: HeadedAnswer) => (
  <>
    <dl class="head">
      <Fact name="Market maker">{maker ?? "not named"}</Fact>
      <Fact name="Market">{`${symbol} on ${exchange}`}</Fact>
      <Fact name="Period">{`${from} to ${to}, days in UTC`}</Fact>
      <Fact name="Report made">{`${minuteText(madeAt)} UTC, by edgemaker`}</Fact>
    </dl>
    {preset === null ? (
      <p>No agreement: this report shows figures without rules.</p>
    ) : (
      <>
        <h2>{`Agreement: ${PRESET_NAMES[preset] ?? preset}`}</h2>
        <ul>
          {terms.map((term) => (
            <li>{term}.</li>
          ))}
        </ul>
      </>
    )}
  </>
);

/** Describes all rules in one line. */
export function verdictText({ verdict, findings }: Pick<LiquidityAnswer, "verdict" | "findings">): string {
  const rules = findings.filter(({ state }) => state !== "shown");
  const number = rules.filter(({ state }) => state === verdict).length;
  const of = `${number} of ${pluralize(rules.length, "rule")}`;
  if (verdict === "kept") return `Kept: every rule is met.`;
  if (verdict === "missed") return `Missed: ${of} ${number === 1 ? "is" : "are"} not met.`;
  // Only an agreement has markets that are not measured.
  if (number === 0) return "Unknown: not every market is measured.";
  return `Unknown: minutes without a sample could change ${of}.`;
}

const hasReasons = ({ findings }: LiquidityAnswer): boolean => findings.some(({ reason }) => reason !== null);

const findingsPart = (report: LiquidityAnswer, asset: string) =>
  report.findings.length > 0 && (
    <>
      <h2>Result</h2>
      {report.verdict !== null && <p class={`verdict ${report.verdict}`}>{verdictText(report)}</p>}
      <DataTable
        heads={[...RULE_HEADS, ...(hasReasons(report) ? ["Why unknown"] : [])]}
        rows={report.findings.map((finding) => [
          ...findingRow(finding, asset),
          ...(hasReasons(report) ? [finding.reason ?? ""] : []),
        ])}
        kind="rules"
      />
    </>
  );

interface SampleHash {
  /** Names the market if there are several. */
  readonly of: string;
  readonly hash: string;
  readonly known: number;
}

const COST_NAME = "What it cost";
const LEGEND: readonly (readonly [string, string])[] = [
  [
    "Minute",
    "edgemaker reads the order book once a minute. A minute without a sample is unknown: it counts neither as up nor as down.",
  ],
  ["Kept, missed", "The rule is met or not met, whatever the unknown minutes were."],
  ["Unknown", "Unknown minutes could change the result."],
  ["Shown", "A figure without a rule."],
  ["Spread", "(ask − bid) ÷ mid price of the best orders, as a mean of the minutes with both sides."],
  ["Depth", "Mean value of the orders within a distance of the mid price. An empty side counts as 0."],
  [
    "Time on both sides",
    "From the times of the own orders: when they opened, filled and were canceled. Uncertain time counts as down.",
  ],
  [
    "Average slippage",
    "Mean distance from the mid price at which a market order fills, of both sides. edgemaker stores the depth within 0.5, 1 and 2 % of the mid price, so the slippage is between two bounds. At least: in some minutes the stored book ends before the order is filled.",
  ],
  [
    COST_NAME,
    "P&L of the strategies: spread captured plus inventory minus fees. Spread captured: P&L of the fills against the mid price at their time. Inventory: P&L of price changes on the base held, and the spread of fills without a known mid price.",
  ],
  ["Own orders", "Orders of the market maker's account on this exchange."],
];

export const legendPart = (hashes: readonly SampleHash[], hasCost: boolean) => (
  <>
    <h2>How to read this report</h2>
    <dl class="legend">
      {LEGEND.filter(([name]) => hasCost || name !== COST_NAME).map(([name, text]) => (
        <Fact name={name}>{text}</Fact>
      ))}
    </dl>
    {hashes.map(({ of, hash, known }) => (
      <p class="hash">
        {`SHA-256 of the ${pluralize(countText(known), "sampled minute")}${of}: `}
        <code>{hash}</code>. The same minutes give the same hash.
      </p>
    ))}
  </>
);

const HOURS_STYLE = `
:root{--second:#8a4b00}@media(prefers-color-scheme:dark){:root{--second:#f0c060}}@media print{:root{--second:#8a4b00}}
.hours{margin:0 0 12px;font-size:.85rem;color:var(--soft);break-inside:avoid}.hours div{display:flex;justify-content:space-between;gap:12px}
.hours span{white-space:nowrap}.hours svg{height:90px}.hours path,.hours line{vector-effect:non-scaling-stroke}.hours .area{fill:var(--own)}
.hours .line{fill:none;stroke:var(--own);stroke-width:1.5}.hours .second{stroke:var(--second);stroke-dasharray:4 3}
.hours .gap{fill:var(--line);opacity:.5}@media print{.hours svg{height:64px}}
`;

export const LIQUIDITY_STYLE = `${UPTIME_STYLE}${HOURS_STYLE}dl{grid-template-columns:repeat(auto-fill,minmax(240px,1fr))}dd b{font-size:1.3rem}h2{font-size:1.05rem;margin:24px 0 8px}
.head{margin:12px 0 0}ul{margin:0;padding-left:1.2em}.verdict{font-size:1.2rem;font-weight:600;color:var(--gain)}
.verdict.missed{color:var(--loss)}.verdict.unknown{color:var(--warn)}.legend{gap:8px 16px}
th{white-space:normal}.words td,.words th,.rules td,.rules th,td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}
.rules td,.words td{white-space:normal}.rules td:nth-child(n+2):nth-child(-n+4){white-space:nowrap}.costs td:nth-child(2),.costs th:nth-child(2),.trades td:nth-child(2),.trades th:nth-child(2){text-align:right}.hash{overflow-wrap:anywhere;margin-top:24px}
@page{size:A4;margin:14mm}
@media print{:root{color-scheme:light;--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--gain:#0b6e4f;--loss:#b02a37;--own:#0b6e4f;--warn:#7a5200}
html,body{font-size:10.5px}main{padding:0}dl{grid-template-columns:repeat(4,1fr);gap:8px}.legend{grid-template-columns:repeat(2,1fr)}
.wide{overflow:visible}table{font-size:9.5px}th,td{padding:3px 4px;white-space:normal}.days td{white-space:nowrap}
tr,svg,.legend{break-inside:avoid}h2{break-after:avoid}}
`;

function describeElsewhere({
  sources,
  unknownSources,
  deviationPercent,
}: Pick<LiquidityAnswer, "sources" | "unknownSources" | "deviationPercent">): string {
  const unknown =
    unknownSources === 0 ? "" : `; unknown in ${pluralize(countText(unknownSources), "minute")}`;
  return deviationPercent === null
    ? `no other price to compare with${unknown}`
    : `${shownPercent(deviationPercent)} from ${sources === null ? NOT_KNOWN : Number(sources.toFixed(1))} other price sources on average${unknown}`;
}

/** Charts of a liquidity report by hour: uptime, spread and depth. An hour without a sample is a gap. */
type Hours = NonNullable<LiquidityAnswer["hours"]>;
type HourValues = readonly (number | null)[];

const asNumbers = (amounts: readonly (string | null)[]): HourValues =>
  amounts.map((amount) => (amount === null ? null : Number(amount)));

/** Renders the charts; nothing if the report has no figures by hour. */
function hourCharts(hours: Hours | undefined, asset: string) {
  if (!hours || hours.ownTwoSidedPercent.length === 0) return false;
  const { ownTwoSidedPercent, ownSpreadPercent, ownBidsWithin2, ownAsksWithin2 } = hours;
  const depth = (value: number | null) => (value === null ? NOT_KNOWN : `${quote(value)} ${asset}`);
  return (
    <>
      <h2>By hour, in UTC</h2>
      <HourChart
        title="Time with own orders on both sides"
        hours={hours}
        series={[ownTwoSidedPercent]}
        shown={shownPercent}
        top={100}
        isArea
      />
      <HourChart title="Own spread" hours={hours} series={[ownSpreadPercent]} shown={shownPercent} />
      <HourChart
        title="Own depth within 2 %: bids, and asks as a dashed line"
        hours={hours}
        series={[ownBidsWithin2, ownAsksWithin2].map(asNumbers)}
        shown={depth}
      />
      <p>
        Gray hours have no sample. A line without a gray background ends where own orders were not on both
        sides.
      </p>
    </>
  );
}

interface HourChartProps {
  readonly title: string;
  readonly hours: Hours;
  readonly series: readonly HourValues[];
  readonly shown: (value: number | null) => string;
  /** Top of the scale; by default the largest value. */
  readonly top?: number;
  readonly isArea?: boolean;
}

function HourChart({ title, hours, series, shown, top, isArea = false }: HourChartProps) {
  const { from, ownTwoSidedPercent: sampled } = hours;
  const known = series.flat().filter((value) => value !== null);
  const most = top ?? known.reduce((a, b) => Math.max(a, b), 0);
  const step = HOURS_WIDTH / sampled.length;
  const y = (value: number) => HOURS_HEIGHT * (1 - (most === 0 ? 0 : value / most));
  const gaps = runsOf(sampled.map((value) => (value === null ? 0 : null)));
  const scale = { step, y, base: isArea ? HOURS_HEIGHT : undefined };
  const topText = known.length === 0 ? NOT_KNOWN : `top: ${shown(most)}`;
  return (
    <figure class="hours">
      <div>
        <b>{title}</b>
        <span>{topText}</span>
      </div>
      <svg
        viewBox={`0 0 ${HOURS_WIDTH} ${HOURS_HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}, by hour; ${topText}`}
      >
        {gaps.map(({ at, values }) => (
          <rect
            class="gap"
            x={(at * step).toFixed(1)}
            y="0"
            width={(values.length * step).toFixed(1)}
            height={HOURS_HEIGHT}
          />
        ))}
        {series.map((values, index) => (
          <path
            class={`${isArea ? "area" : "line"}${index > 0 ? " second" : ""}`}
            d={runsOf(values)
              .map((run) => stepPath(run, scale))
              .join("")}
          />
        ))}
        <line class="full" x1="0" x2={HOURS_WIDTH} y1={HOURS_HEIGHT} y2={HOURS_HEIGHT} />
      </svg>
      <div>
        <span>{minuteText(from)}</span>
        <span>{minuteText(from + sampled.length * HOUR)}</span>
      </div>
    </figure>
  );
}

interface ValueRun {
  /** Place of the first value. */
  readonly at: number;
  readonly values: readonly number[];
}

/** Returns the runs of known values. */
function runsOf(series: HourValues): ValueRun[] {
  const runs: { at: number; values: number[] }[] = [];
  for (const [at, value] of series.entries()) {
    if (value === null) continue;
    const last = runs.at(-1);
    if (last && last.at + last.values.length === at) last.values.push(value);
    else runs.push({ at, values: [value] });
  }
  return runs;
}

interface StepScale {
  readonly step: number;
  readonly y: (value: number) => number;
  /** Bottom of an area; undefined for a line. */
  readonly base: number | undefined;
}

/** Returns a path with one horizontal line per hour. */
function stepPath({ at, values }: ValueRun, { step, y, base }: StepScale): string {
  const steps = values.map(
    (value, place) => `V${y(value).toFixed(1)}H${((at + place + 1) * step).toFixed(1)}`,
  );
  const start = `M${(at * step).toFixed(1)} ${(base ?? y(values[0] ?? 0)).toFixed(1)}`;
  return `${start}${steps.join("")}${base === undefined ? "" : `V${base}Z`}`;
}
