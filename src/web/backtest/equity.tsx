import { type LinePoint, type LineScale, lineScaleOf } from "../chart/line-scale.ts";
import { TwoLines } from "../chart/two-lines.tsx";
import { inPercent, number } from "../format.ts";
import type { Backtest } from "../types.ts";

/** Returns a value as a percentage of the investment. */
const shareOf = (value: number, { invested }: Backtest): number => (value / Number(invested) - 1) * 100;

const pointsOf = (answer: Backtest): LinePoint[] =>
  answer.series.map(({ timestamp, equity, buyAndHold }) => ({
    timestamp,
    own: shareOf(equity, answer),
    buyAndHold: shareOf(buyAndHold, answer),
  }));

/** Returns one scale for all compared results. */
export const sharedScale = (answers: readonly Backtest[]): LineScale =>
  lineScaleOf(answers.flatMap(pointsOf));

/** Chart of equity, and of buy and hold. */
export function Equity({ answer, scale }: { answer: Backtest; scale: LineScale }) {
  const points = pointsOf(answer);
  const last = points.at(-1);
  if (!last) return null;
  return (
    <TwoLines
      points={points}
      scale={scale}
      label={`Final equity ${inPercent(last.own, 2)}, buy and hold at ${inPercent(last.buyAndHold, 2)}`}
      caption={`Equity (solid) and buy and hold (dashed), ${number(scale.least, 1)} to ${inPercent(scale.most, 1)}`}
    />
  );
}
