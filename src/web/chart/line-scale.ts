export interface LinePoint {
  readonly timestamp: number;
  readonly own: number;
  readonly buyAndHold: number;
}

/** The value range of lines; the axis between their starts is empty. */
export interface LineScale {
  readonly least: number;
  readonly most: number;
}

export const lineScaleOf = (points: readonly Pick<LinePoint, "own" | "buyAndHold">[]): LineScale =>
  points.reduce<LineScale>(
    ({ least, most }, { own, buyAndHold }) => ({
      least: Math.min(least, own, buyAndHold),
      most: Math.max(most, own, buyAndHold),
    }),
    { least: 0, most: 0 },
  );
