/** The command line was wrong: nothing was done, exit 2. */
export class UsageError extends Error {
  /** Help to show with it. */
  readonly usage: string | undefined;

  constructor(message: string, usage?: string) {
    super(message);
    this.name = "UsageError";
    this.usage = usage;
  }
}
