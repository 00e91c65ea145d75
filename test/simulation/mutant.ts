import type { Shape } from "./shape.ts";

/**
 * Protocol bugs, planted as text: each text has to stand exactly once in its file, and each bug has to be caught. None
 * has a seed that is known to show it: what counts are seeds that nobody has chosen.
 */
export interface Mutant {
  readonly name: string;
  /** Of which kind of strategy; of grids where nothing is said. */
  readonly strategy?: Shape["strategy"];
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const one = (name: string, file: string, from: string, to: string): Mutant => ({
  name,
  edits: [{ file, from, to }],
});
