import { inPercent, number } from "../format.ts";
import type { Backtest } from "../types.ts";

const [WIDTH, HEIGHT] = [400, 120] as const;

/** Percent of what is invested, least and most over all that are compared: one scale for all of them. */
export interface ShareScale {
  readonly least: number;
  readonly most: number;
}

const shareOf = (value: number, { invested }: Backtest): number => (value / Number(invested) - 1) * 100;

export function sharedScale(answers: readonly Backtest[]): ShareScale {
  const values = answers.flatMap((answer) =>
    answer.series.flatMap(({ equity, held }) => [shareOf(equity, answer), shareOf(held, answer)]),
  );
  return values.reduce<ShareScale>(
    ({ least, most }, value) => ({ least: Math.min(least, value), most: Math.max(most, value) }),
    { least: 0, most: 0 },
  );
}

/** Equity as a line, and what it were all in base as a dashed one; the label tells where both end. */
export function Equity({ answer, scale }: { answer: Backtest; scale: ShareScale }) {
  const { series } = answer;
  const last = series.at(-1);
  if (!last) return null;
  const [first, span] = [
    series[0]?.timestamp ?? 0,
    Math.max(1, last.timestamp - (series[0]?.timestamp ?? 0)),
  ];
  const height = Math.max(1e-9, scale.most - scale.least);
  const y = (share: number) => (HEIGHT - ((share - scale.least) / height) * HEIGHT).toFixed(1);
  const points = (of: "equity" | "held") =>
    series
      .map((one) => `${(((one.timestamp - first) / span) * WIDTH).toFixed(1)},${y(shareOf(one[of], answer))}`)
      .join(" ");
  const percent = (value: number) => inPercent(shareOf(value, answer), 2);
  return (
    <figure class="equity">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Equity ends at ${percent(last.equity)}, all in base at ${percent(last.held)}`}
      >
        <line class="zero" x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        <polyline class="held" points={points("held")} />
        <polyline class="own" points={points("equity")} />
      </svg>
      <figcaption class="quiet">
        Equity (solid) and all in base (dashed), {number(scale.least, 1)} to {inPercent(scale.most, 1)}
      </figcaption>
    </figure>
  );
}
