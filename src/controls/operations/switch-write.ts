import { AppError, messageOf } from "../../kernel/errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Deps } from "../../ports/deps.ts";
import { withinTime } from "../../ports/within-time.ts";

/** Maximum wait for the database before the user learns that it does not respond. */
const LONGEST_WRITE: Millis = SECOND;

/**
 * Returns the result of a write that turns the kill switch on. Throws `Not ready` after one second: the write
 * continues, and this process already places no orders.
 */
export const switchWritten = <T>(deps: Deps, write: Promise<T>): Promise<T> =>
  withinTime(
    write,
    LONGEST_WRITE,
    () => {
      const logged = write.catch((error: unknown) =>
        deps.log("warn", "the kill switch was not written", { reason: messageOf(error) }),
      );
      deps.local.outlast?.(logged);
      return new AppError("Not ready", lateText(deps));
    },
    deps.local.timer,
  );

function lateText({ store, killHere }: Pick<Deps, "store" | "killHere">): string {
  const trouble =
    store.lockedFor() > 0 ? "the database is locked by another process" : "the database does not respond";
  const file = killHere?.file;
  const advice =
    file === undefined
      ? "to stop every other process now, deploy with EDGEMAKER_KILL=1"
      : `to stop every process on the server's machine now, create the file ${file}`;
  return `${trouble}, so the kill switch is not written yet: this process places nothing; ${advice}`;
}
