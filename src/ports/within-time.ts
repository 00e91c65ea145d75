import type { Millis } from "../kernel/time.ts";

/** Returns the result of work. Throws the error of `late` after the limit, and drops a later result. */
export async function withinTime<T>(work: Promise<T>, limit: Millis, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limit);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
