import type { Shape } from "./shape.ts";

/** Protocol bugs, planted as text: each text has to stand exactly once in its file, and each bug has to be caught. */
export interface Mutant {
  readonly name: string;
  /** A seed that shows it, tried first; where it does not any more, the others are searched. */
  readonly shownBy?: number;
  /** Of which kind of strategy; of grids where nothing is said. */
  readonly strategy?: Shape["strategy"];
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const one = (name: string, file: string, from: string, to: string, shownBy?: number): Mutant => ({
  name,
  ...(shownBy === undefined ? {} : { shownBy }),
  edits: [{ file, from, to }],
});
