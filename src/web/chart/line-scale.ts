export interface LinePoint {
  readonly timestamp: number;
  readonly own: number;
  readonly held: number;
}

/** The value range of lines; the axis between their starts is empty. */
export interface LineScale {
  readonly least: number;
  readonly most: number;
}

export const lineScaleOf = (points: readonly Pick<LinePoint, "own" | "held">[]): LineScale =>
  points.reduce<LineScale>(
    ({ least, most }, { own, held }) => ({
      least: Math.min(least, own, held),
      most: Math.max(most, own, held),
    }),
    { least: 0, most: 0 },
  );
