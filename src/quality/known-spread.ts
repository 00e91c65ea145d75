/** Returns whether the spread of some fills is known. If the mid of none is, it is unknown and not 0. */
export const isSpreadKnown = ({
  fills,
  withoutMid,
}: {
  readonly fills: number;
  readonly withoutMid: number;
}): boolean => fills === 0 || withoutMid < fills;
