import { VenueError } from "../kernel/errors.ts";
import type { Millis } from "../kernel/time.ts";
import type { Deps } from "../ports/deps.ts";

/** A read that has not ended by then failed, and says who was asked; what it would still bring is dropped. */
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
