/** Error for a wrong command line: nothing was done, exit code 2. */
export class UsageError extends Error {
  /** Help to print with it. */
  readonly usage: string | undefined;

  constructor(message: string, usage?: string) {
    super(message);
    this.name = "UsageError";
    this.usage = usage;
  }
}
