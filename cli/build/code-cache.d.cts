export interface LoadedBundle {
  readonly runCommandLine: (argv: readonly string[]) => Promise<number>;
  /** Keeps what is compiled by now for the next start, once: when the command has done its work, or has started. */
  readonly keepCompiled: () => void;
}

/** Runs a bundle's file with what was compiled of it before, by a command of this first word. */
export function loadBundle(file: string, word?: string): LoadedBundle;
