import type { Millis } from "../kernel/time.ts";

/** This process's own clock and chance. Neither is protocol time: that is the store's. */
export interface Local {
  /** What this process is called where a person asks who has stepped an account. */
  readonly name: string;
  /** Never goes back; its zero means nothing. */
  readonly monotonic: () => Millis;
  /** `length` random characters of [0-9a-z]. */
  readonly randomText: (length: number) => string;
  readonly sleep: (millis: Millis) => Promise<void>;
  /** Ends when this process has heard what has arrived for it; absent where nothing ever holds it up. */
  readonly heard?: () => Promise<void>;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;
