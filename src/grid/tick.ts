import { messageOf } from "../errors.ts";
import type { Millis } from "../kernel/time.ts";
import { SECOND } from "../kernel/time.ts";
import type { Deps, Venue } from "../ports.ts";
import { parseAccountKey } from "../records.ts";
import { type Pass, step } from "./step.ts";

type World = Pick<Deps, "store" | "local" | "log" | "venueOf">;

/** One pass over every account that has something to step. The timer, the cron and POST /internal/tick call this. */
export async function tick(world: World): Promise<Pass[]> {
  const due = await world.store.due();
  return Promise.all(
    due.map(async ({ account, retryAt, now }): Promise<Pass> => {
      const venue = world.venueOf(parseAccountKey(account));
      if (!venue)
        return { account, outcome: "not_configured", message: "this process is not configured for it" };
      if (retryAt > now) return { account, outcome: "backing_off" };
      return step(world, venue).catch((error: unknown) => ({
        account,
        outcome: "failed",
        message: messageOf(error),
      }));
    }),
  );
}

const PATIENCE: Millis = 10 * SECOND;
const BETWEEN: Millis = 50;

/** One pass on a person's word: waits for its turn when another pass is under way. */
export async function stepNow(world: World, venue: Venue): Promise<Pass> {
  const askedAt = world.local.monotonic();
  for (;;) {
    const pass = await step(world, venue);
    if (pass.outcome !== "busy" || world.local.monotonic() - askedAt > PATIENCE) return pass;
    await world.local.sleep(BETWEEN);
  }
}
