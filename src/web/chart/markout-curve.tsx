import { horizonText } from "../../quality/known-spread.ts";
import { percent } from "../format.ts";
import type { Quality } from "../types.ts";

const [WIDTH, HEIGHT] = [600, 160] as const;
/** More lines than these cannot be told apart. */
const MAX_CURVES = 12;

type MarkoutRow = Pick<Quality["sides"][number], "side" | "halfSpreadPercent" | "markouts">;

interface CurvePoint {
  readonly step: number;
  readonly value: number;
}

/** Known percentages: the half-spread at the fill, then each markout. */
const markoutPoints = ({ halfSpreadPercent, markouts }: MarkoutRow): CurvePoint[] =>
  [halfSpreadPercent, ...markouts.map((markout) => markout.percent)].flatMap((value, step) =>
    value === null ? [] : [{ step, value }],
  );

/** What fills are worth from the fill on, as lines by side, with a thin line for each of the most filled levels. */
export function MarkoutCurve({ sides, levels }: Pick<Quality, "sides" | "levels">) {
  const most = [...levels].sort((a, b) => b.fills - a.fills).slice(0, MAX_CURVES);
  const all = [...sides, ...most].flatMap(markoutPoints);
  if (all.length === 0) return <p class="quiet">No mid is known yet.</p>;
  const [low, high] = [
    Math.min(0, ...all.map(({ value }) => value)),
    Math.max(0, ...all.map(({ value }) => value)),
  ];
  const times = sides[0]?.markouts.map(({ after }) => horizonText(after)) ?? [];
  const y = (value: number) => HEIGHT - ((value - low) / Math.max(1e-9, high - low)) * HEIGHT;
  const x = (step: number) => (step / Math.max(1, times.length)) * WIDTH;
  const line = (one: MarkoutRow) =>
    markoutPoints(one)
      .map(({ step, value }) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`)
      .join(" ");
  return (
    <figure class="equity">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Markout curve: ${sides.map(rangeOfRow).join("; ")}`}
      >
        <line class="zero" x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        {most.map((level) => (
          <polyline key={`${level.side} ${level.level}`} class={`${level.side} level`} points={line(level)}>
            <title>{`Level ${level.level}, ${level.side}: ${rangeOfRow(level)}`}</title>
          </polyline>
        ))}
        {sides.map((one) => (
          <polyline key={one.side} class={one.side} points={line(one)} />
        ))}
      </svg>
      <figcaption class="quiet">
        Value per notional at the fill and after {times.join(", ")}: <b class="buy">buys</b> and{" "}
        <b class="sell">sells</b>, thin lines by level, {fineShare(low)} to {fineShare(high)}
      </figcaption>
    </figure>
  );
}

const fineShare = (value: number): string => percent(value / 100, 4);

function rangeOfRow(one: MarkoutRow): string {
  const points = markoutPoints(one);
  const [first, last] = [points[0], points.at(-1)];
  return first && last
    ? `${one.side} from ${fineShare(first.value)} to ${fineShare(last.value)}`
    : `${one.side} unknown`;
}
