/** Whether tables are walked whole, as `npm run test:heavy` does, or in part, as every `npm test`. */
export const isWhole = process.env.WHOLE === "1";

/** So much of something in every `npm test`, and all of it in `npm run test:heavy`. */
export const most = (whole: number, usual: number): number => (isWhole ? whole : usual);

/**
 * Of a table that is walked once for each of several kinds: all of it, or every third row, another third for the next kind,
 * so that each row is still walked, and each kind.
 */
export const partOf = <T>(rows: readonly T[], kind: number): readonly T[] =>
  isWhole ? rows : rows.filter((_, place) => place % 3 === kind % 3);
