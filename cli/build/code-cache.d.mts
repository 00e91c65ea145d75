export interface LoadedBundle {
  readonly runCommandLine: (argv: readonly string[]) => Promise<number>;
  /** Keeps what is compiled by now for the next start, after the command that so begins has done its work. */
  readonly keepCompiled: (word?: string) => void;
}

/** Runs a bundle's file with what was compiled of it before. */
export function loadBundle(file: string): LoadedBundle;
