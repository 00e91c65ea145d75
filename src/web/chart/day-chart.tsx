import type { Child } from "hono/jsx";
import { change } from "../format.ts";

const [WIDTH, HEIGHT] = [600, 160] as const;
/** Share of a day's width that its bars take, and the largest width of one. */
const [FILLED, MAX_BAR_WIDTH] = [0.7, 24] as const;

interface ChartDay {
  readonly day: string;
  readonly bars: readonly { readonly color: string; readonly value: number; readonly title: string }[];
  /** Where a line over the bars is. */
  readonly sum?: number;
}

/** Bars of each day, over a zero line; the caption gets the lowest and the highest value. */
export function DayChart({
  days,
  label,
  caption,
}: {
  days: readonly ChartDay[];
  label: string;
  caption: (range: string) => Child;
}) {
  const values = [0, ...days.flatMap(({ bars, sum = 0 }) => [sum, ...bars.map(({ value }) => value)])];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = WIDTH / Math.max(1, days.length);
  const y = (value: number) => HEIGHT - ((value - least) / Math.max(1e-9, most - least)) * HEIGHT;
  const x = (at: number) => (at + 0.5) * step;
  const line = days.flatMap(({ sum }, at) => (sum === undefined ? [] : [`${x(at)},${y(sum).toFixed(1)}`]));
  return (
    <figure class="equity">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {days.flatMap(({ bars }, at) => {
          const wide = Math.min((step * FILLED) / bars.length, MAX_BAR_WIDTH);
          return bars.map(({ color, value, title }, bar) => (
            <rect
              key={title}
              class={color}
              x={(x(at) + (bar - bars.length / 2) * wide).toFixed(1)}
              width={(wide * 0.95).toFixed(1)}
              y={Math.min(y(0), y(value)).toFixed(1)}
              height={Math.max(0.5, Math.abs(y(value) - y(0))).toFixed(1)}
            >
              <title>{title}</title>
            </rect>
          ));
        })}
        <line class="zero" x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        {line.length > 0 ? <polyline class="own" points={line.join(" ")} /> : null}
      </svg>
      <figcaption class="quiet">{caption(`${change(least)} to ${change(most)}`)}</figcaption>
    </figure>
  );
}
