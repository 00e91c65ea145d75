import { version } from "./host/version.ts";

/** Runs a command line and returns its exit code: see command-line.ts, which a question for the version does not wait for. */
export async function main(argv: readonly string[]): Promise<number> {
  const [word] = argv;
  if (argv.length === 1 && (word === "--version" || word === "-v")) {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  return (await import("./command-line.ts")).runCommandLine(argv);
}
