/** Charts of a liquidity report by hour: uptime, spread and depth. An hour without a sample is a gap. */
import { HOUR, minuteText } from "../kernel/time.ts";
import { NOT_KNOWN, quote, shownPercent } from "./page-figures.ts";
import type { LiquidityAnswer } from "./schema.ts";

type Hours = NonNullable<LiquidityAnswer["hours"]>;
type HourValues = readonly (number | null)[];

const [HOURS_WIDTH, HOURS_HEIGHT] = [1080, 90] as const;

export const HOURS_STYLE = `
:root{--second:#8a4b00}@media(prefers-color-scheme:dark){:root{--second:#f0c060}}@media print{:root{--second:#8a4b00}}
.hours{margin:0 0 12px;font-size:.85rem;color:var(--soft);break-inside:avoid}.hours div{display:flex;justify-content:space-between;gap:12px}
.hours span{white-space:nowrap}.hours svg{height:90px}.hours path,.hours line{vector-effect:non-scaling-stroke}.hours .area{fill:var(--own)}
.hours .line{fill:none;stroke:var(--own);stroke-width:1.5}.hours .second{stroke:var(--second);stroke-dasharray:4 3}
.hours .gap{fill:var(--line);opacity:.5}@media print{.hours svg{height:64px}}
`;

/** Renders the charts; nothing if the report has no figures by hour. */
export function hourCharts(hours: Hours | undefined, asset: string) {
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
        series={[ownBidsWithin2, ownAsksWithin2]}
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
