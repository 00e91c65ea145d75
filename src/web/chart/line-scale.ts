export interface LinePoint {
  readonly timestamp: number;
  readonly own: number;
  readonly buyAndHold: number;
}

/** The value range of lines; the axis between their starts is empty. */
export interface LineScale {
  readonly min: number;
  readonly max: number;
}

export const lineScaleOf = (points: readonly Pick<LinePoint, "own" | "buyAndHold">[]): LineScale =>
  points.reduce<LineScale>(
    ({ min, max }, { own, buyAndHold }) => ({
      min: Math.min(min, own, buyAndHold),
      max: Math.max(max, own, buyAndHold),
    }),
    { min: 0, max: 0 },
  );
