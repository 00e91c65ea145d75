/** What may notice a change: one test, one run of the simulation, or one deed that a guard of the store decides. */
export type Unit =
  | { readonly kind: "test"; readonly file: string; readonly test: string; readonly name: string }
  | { readonly kind: "seed"; readonly seed: number; readonly mirrored: boolean }
  | { readonly kind: "deed"; readonly name: string };

export interface Covered {
  readonly unit: Unit;
  readonly millis: number;
  /** The same in time of a processor: other work on the machine makes it no longer. */
  readonly busy: number;
  /** Numbers of the changes that it came across. */
  readonly reached: readonly number[];
  /** Of the unit as it is now: another one when anything that it rests on has changed. */
  readonly stamp?: string;
}

export const nameOf = (unit: Unit): string => {
  if (unit.kind === "test") return `${unit.file} > ${unit.name}`;
  return unit.kind === "seed" ? `${unit.mirrored ? "libSQL " : ""}seed ${unit.seed}` : `deed: ${unit.name}`;
};

export type Ask =
  | { readonly kind: "cover"; readonly file: string }
  | { readonly kind: "cover unit"; readonly unit: Unit }
  /** Whether a unit notices a change; undefined asks how it goes without any. */
  | { readonly kind: "try"; readonly unit: Unit; readonly mutant: number | undefined };

export type Reported =
  | { readonly kind: "covered"; readonly covered: readonly Covered[]; readonly failed: readonly string[] }
  | { readonly kind: "tried"; readonly failure: string | undefined; readonly busy: number };
