import { VenueError } from "../kernel/errors.ts";
import type { Millis } from "../kernel/time.ts";
import type { Deps } from "../ports/deps.ts";

/** Fails a read after the time limit with the name of the source, and drops a later result. */
export const timeLimit =
  (limit: Millis): Deps["inTime"] =>
  async (who, read) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new VenueError("unavailable", `${who} did not respond within ${limit} ms`)),
        limit,
      );
    });
    try {
      return await Promise.race([read(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
