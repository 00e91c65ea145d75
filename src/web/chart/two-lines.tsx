import { type LineOrTwo, type LineScale, lineScaleOf } from "./line-scale.ts";

const [WIDTH, HEIGHT] = [400, 120] as const;

/** Draws the equity as a line, buy and hold as a dashed one, and the zero line; the label describes where both end. */
export function TwoLines({
  points,
  scale = lineScaleOf(points),
  label,
  caption,
}: {
  points: readonly LineOrTwo[];
  /** Shared by several charts; that of its points by default. */
  scale?: LineScale;
  label: string;
  caption: string;
}) {
  const { min, max } = scale;
  const [first, last] = [points[0]?.timestamp ?? 0, points.at(-1)?.timestamp ?? 0];
  const [span, height] = [last - first || 1, Math.max(1e-9, max - min)];
  const y = (value: number) => (HEIGHT - ((value - min) / height) * HEIGHT).toFixed(1);
  const line = (of: "own" | "buyAndHold") =>
    points
      .flatMap(({ timestamp, [of]: value }) =>
        value === undefined ? [] : [`${(((timestamp - first) / span) * WIDTH).toFixed(1)},${y(value)}`],
      )
      .join(" ");
  return (
    <figure class="equity">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <line class="zero" x1="0" x2={WIDTH} y1={y(0)} y2={y(0)} />
        {points.some(({ buyAndHold }) => buyAndHold !== undefined) ? (
          <polyline class="buy-and-hold" points={line("buyAndHold")} />
        ) : null}
        <polyline class="own" points={line("own")} />
      </svg>
      <figcaption class="quiet">{caption}</figcaption>
    </figure>
  );
}
