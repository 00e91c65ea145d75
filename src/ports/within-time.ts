import type { Millis } from "../kernel/time.ts";

/** Runs something after a time; returns a function that cancels it. */
export type Timer = (wait: Millis, run: () => void) => () => void;

const platformTimer: Timer = (wait, run) => {
  const timer = setTimeout(run, wait);
  return () => clearTimeout(timer);
};

/** Returns the result of work. Throws the error of `late` after the limit, and drops a later result. */
export async function withinTime<T>(
  work: Promise<T>,
  limit: Millis,
  late: () => Error,
  timer: Timer = platformTimer,
): Promise<T> {
  let cancel = () => {};
  const end = new Promise<never>((_, reject) => {
    cancel = timer(limit, () => reject(late()));
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    cancel();
  }
}

/** This process's clock and randomness. Protocol time comes from the store instead. */
export interface Local {
  /** Name of this process as the owner of passes. */
  readonly name: string;
  /** Monotonic time in milliseconds from an arbitrary zero. */
  readonly monotonic: () => Millis;
  /** Returns `length` random characters of [0-9a-z]. */
  readonly randomText: (length: number) => string;
  readonly sleep: (millis: Millis) => Promise<void>;
  /** Timer of time limits; absent if it is the platform's. */
  readonly timer?: Timer;
  /** Resolves when this process has handled all messages that reached it; absent if nothing can delay them. */
  readonly heard?: () => Promise<void>;
  /** Lets work continue after the response; absent if the platform does not end a process after its response. */
  readonly outlast?: (work: Promise<unknown>) => void;
}

/** Lets other work of this process run. */
export const letOthersRun = ({ heard, sleep }: Pick<Local, "heard" | "sleep">): Promise<void> =>
  heard ? heard() : sleep(0);

export type LogLevel = "debug" | "info" | "warn" | "error";

export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

export type SpanAttributes = Readonly<Record<string, string | number>>;

interface TraceSpan {
  /** Adds attributes before the span ends. They contain no secrets and no foreign text. */
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** Marks the traced work as failed. */
  fail(type: string): void;
}

/** Traces work for a collector. Names and attributes follow OpenTelemetry's conventions. */
export interface Tracer {
  /** Runs `work` in a span. Spans that start meanwhile are its children. */
  span<T>(name: string, attributes: SpanAttributes, work: (span: TraceSpan) => Promise<T>): Promise<T>;
}
