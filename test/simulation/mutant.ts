/** Protocol bugs, planted as text: each text has to stand exactly once in its file, and each bug has to be caught. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export const one = (name: string, file: string, from: string, to: string): Mutant => ({
  name,
  edits: [{ file, from, to }],
});
