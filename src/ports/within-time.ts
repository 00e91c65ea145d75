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
