import type { DailyFigures } from "../daily.ts";
import { change } from "../format.ts";

const [WIDTH, HEIGHT] = [600, 160] as const;
const WIDEST_BAR = 24;

/** Bars of P&L by day, and their sum as a line. */
export function DayBars({ figures: { days }, quote }: { figures: DailyFigures; quote: string }) {
  const last = days.at(-1);
  const first = days[0];
  if (!last || !first) return null;
  const values = [0, ...days.flatMap(({ profit, sum }) => [profit, sum])];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = WIDTH / days.length;
  const y = (value: number) => HEIGHT - ((value - least) / Math.max(1e-9, most - least)) * HEIGHT;
  const x = (at: number) => (at + 0.5) * step;
  const wide = Math.min(step * 0.7, WIDEST_BAR);
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
