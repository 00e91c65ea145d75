import type { Edition, Shape } from "./shape.ts";

/**
 * Protocol bugs, planted as text: each text has to stand exactly once in its file, and each bug has to be caught. None
 * has a seed that is known to show it: what counts are seeds that nobody has chosen.
 */
export interface Mutant {
  readonly name: string;
  /** Of which kind of strategy; of grids where nothing is said. */
  readonly strategy?: Shape["strategy"];
  /** The edition that shows it; all of them take turns where nothing is said. */
  readonly edition?: Edition;
  /** The test that shows it where no seed has: a hole of the simulation, told as one. */
  readonly elsewhere?: string;
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const one = (name: string, file: string, from: string, to: string): Mutant => ({
  name,
  edits: [{ file, from, to }],
});

/** One that a test of its own shows, and no seed. */
export const shownBy = (elsewhere: string, mutant: Mutant): Mutant => ({ ...mutant, elsewhere });
