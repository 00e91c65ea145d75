import { isSpreadKnown } from "../../quality/known-spread.ts";
import { change } from "../format.ts";
import type { Quality } from "../types.ts";

const [WIDTH, HEIGHT] = [600, 160] as const;
const WIDEST_CAUSE_BAR = 16;

/** Causes of P&L, each with the value that it adds to the total. */
const PROFIT_CAUSES = [
  ["spread", ({ spread }: QualityDay) => spread],
  ["inventory", ({ inventory }: QualityDay) => inventory],
  ["fees", ({ fees }: QualityDay) => -fees],
] as const;
type QualityDay = Quality["days"][number];

/** Three bars a day: spread, inventory and fees, which add up to the P&L. */
export function CauseBars({ days }: { days: Quality["days"] }) {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  const values = [0, ...days.flatMap((day) => PROFIT_CAUSES.map(([, of]) => of(day)))];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = WIDTH / days.length;
  const wide = Math.min((step * 0.8) / PROFIT_CAUSES.length, WIDEST_CAUSE_BAR);
  const y = (value: number) => HEIGHT - ((value - least) / Math.max(1e-9, most - least)) * HEIGHT;
  const left = (day: number, cause: number) => (day + 0.5) * step + (cause - PROFIT_CAUSES.length / 2) * wide;
  const total = days.reduce((sum, { totalProfit }) => sum + totalProfit, 0);
  return (
    <figure class="equity">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`P&L by cause and day from ${first.day} to ${last.day}: ${change(total)} ${last.quote} in all`}
      >
        {days.flatMap((day, at) =>
          PROFIT_CAUSES.map(([name, of], cause) => (
            <rect
              key={`${day.day} ${name}`}
              class={name}
              x={left(at, cause).toFixed(1)}
              width={(wide * 0.9).toFixed(1)}
              y={Math.min(y(0), y(of(day))).toFixed(1)}
              height={Math.max(0.5, Math.abs(y(of(day)) - y(0))).toFixed(1)}
            >
              <title>{`${day.day}, ${name}: ${name === "spread" && !isSpreadKnown(day) ? "unknown" : `${change(of(day))} ${day.quote}`}`}</title>
            </rect>
          )),
        )}
        <line class="zero" x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
      </svg>
      <figcaption class="quiet">
        P&L by day: <b class="series spread">spread</b>, <b class="series inventory">inventory</b> and{" "}
        <b class="series fees">fees</b>, {change(least)} to {change(most)} {last.quote}; days in UTC
      </figcaption>
    </figure>
  );
}
