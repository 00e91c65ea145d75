/** Runs a command line and returns its exit code: see command-line.ts. */
export const main = async (argv: readonly string[]): Promise<number> =>
  (await import("./command-line.ts")).runCommandLine(argv);
