/** Lines that a strategy's code writes to the server's log. */
import * as z from "zod";
import { lazy } from "../../kernel/lazy.ts";
import { plainText } from "../../kernel/plain-text.ts";
import type { StrategyLog } from "../../ports/definition.ts";

/** Maximum number of lines of one call; further ones are only counted. */
const MAX_LOG_LINES = 50;
const MAX_LINE_CHARACTERS = 500;
const CONSOLE_METHODS = ["debug", "error", "info", "log", "trace", "warn"];

export const NO_LOG: StrategyLog = { lines: [], dropped: 0 };

export const LogShape = lazy(() =>
  z.strictObject({
    lines: z.array(z.string()).max(MAX_LOG_LINES),
    dropped: z.int().min(0),
  }),
);

const withLine = ({ lines, dropped }: StrategyLog, textOfLine: () => string): StrategyLog =>
  lines.length < MAX_LOG_LINES
    ? { lines: [...lines, plainText(textOfLine(), MAX_LINE_CHARACTERS)], dropped }
    : { lines, dropped: dropped + 1 };

/** Returns a console for a strategy's code, and how to take what the code wrote to it. */
export function createStrategyConsole() {
  let log = NO_LOG;
  const write = (...values: readonly unknown[]): void => {
    log = withLine(log, () => values.map(valueText).join(" "));
  };
  return {
    console: Object.fromEntries(CONSOLE_METHODS.map((method) => [method, write])),
    takeLog(): StrategyLog {
      const written = log;
      log = NO_LOG;
      return written;
    },
  };
}

function valueText(value: unknown): string {
  if (typeof value !== "object" || value === null || "stack" in value) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "[an object that is not JSON]";
  }
}

/** Returns the lines of a result. Throws TypeError if they are not texts. */
export function readLog(given: unknown): StrategyLog {
  if (given === undefined) return NO_LOG;
  if (!Array.isArray(given) || given.some((line) => typeof line !== "string"))
    throw new TypeError("orders() returned log: not a list of texts");
  return joinLogs(NO_LOG, { lines: given as string[], dropped: 0 });
}

export const joinLogs = (first: StrategyLog, { lines, dropped }: StrategyLog): StrategyLog => {
  const joined = lines.reduce((log, line) => withLine(log, () => line), first);
  return { ...joined, dropped: joined.dropped + dropped };
};

/** Returns the log as a field; none if nothing was written. */
export const logField = (log: StrategyLog = NO_LOG): { readonly log?: StrategyLog } =>
  log.lines.length === 0 && log.dropped === 0 ? {} : { log: joinLogs(NO_LOG, log) };
