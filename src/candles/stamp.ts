import type { Millis } from "../kernel/time.ts";

/** A time as people and files write it: 2022-01-01T00:00:00.000Z. */
export const stampOf = (at: Millis): string => new Date(at).toISOString();
