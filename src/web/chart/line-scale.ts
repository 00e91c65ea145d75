export interface LinePoint {
  readonly timestamp: number;
  readonly own: number;
  readonly buyAndHold: number;
}

/** A point of one line, or of two if there is something to compare with. */
export type LineOrTwo = Omit<LinePoint, "buyAndHold"> & { readonly buyAndHold?: number | undefined };

/** The value range of lines; the axis between their starts is empty. */
export interface LineScale {
  readonly min: number;
  readonly max: number;
}

export const lineScaleOf = (points: readonly Omit<LineOrTwo, "timestamp">[]): LineScale =>
  points.reduce<LineScale>(
    ({ min, max }, { own, buyAndHold = own }) => ({
      min: Math.min(min, own, buyAndHold),
      max: Math.max(max, own, buyAndHold),
    }),
    { min: 0, max: 0 },
  );
