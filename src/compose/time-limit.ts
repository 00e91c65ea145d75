import { VenueError } from "../kernel/errors.ts";
import type { Millis } from "../kernel/time.ts";
import type { Deps } from "../ports/deps.ts";
import { withinTime } from "../ports/within-time.ts";

/** Fails a read after the time limit with the name of the source, and drops a later result. */
export const timeLimit =
  (limit: Millis): Deps["inTime"] =>
  async (who, read) =>
    withinTime(
      read(),
      limit,
      () => new VenueError("unavailable", `${who} did not respond within ${limit} ms`),
    );
