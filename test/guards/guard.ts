import type { Writers } from "./writers.ts";

/** A condition of a statement, or of the schema, and what happens only because it is there. */
export interface Guard {
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file; what is left when the guard is taken out. */
  readonly from: string;
  readonly to: string;
  /** What comes of a deed of two writers that the guard decides. */
  readonly deed: (writers: Writers) => Promise<unknown>;
  readonly should: unknown;
}

export const guardsOf = (
  file: string,
  guards: readonly (readonly [string, string, string, unknown, Guard["deed"]])[],
): Guard[] => guards.map(([name, from, to, should, deed]) => ({ name, file, from, to, should, deed }));
