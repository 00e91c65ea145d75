import type { Millis } from "../kernel/time.ts";
import type { Timer } from "./within-time.ts";

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

export type LogLevel = "debug" | "info" | "warn" | "error";

export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;
