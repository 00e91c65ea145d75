import { messageOf } from "../../kernel/errors.ts";
import { isAhead, LONGEST_PAUSE, type Millis, SECOND } from "../../kernel/time.ts";
import { type AccountKey, parseAccountKey } from "../../model/account.ts";
import type { Deps } from "../../ports/deps.ts";
import type { DueAccount } from "../../ports/stores/step-store.ts";
import type { Venue } from "../../ports/venue.ts";
import { type Pass, type StepOptions, step } from "./step.ts";

type TickDeps = Pick<
  Deps,
  | "store"
  | "local"
  | "log"
  | "venueOf"
  | "limits"
  | "requests"
  | "reference"
  | "interval"
  | "kinds"
  | "tracer"
>;

/** Fewer requests than a pass over one market needs: what begins with less would only wait again. */
const LEAST_PASS_REQUESTS = 12;

/**
 * One pass over every account that has something to step. The timer, the cron and POST /internal/tick
 * call this. With bounded requests the accounts go in turn, those first that have waited longest.
 */
export async function tick(world: TickDeps, options: StepOptions = {}): Promise<Pass[]> {
  const due = await world.store.due();
  const stepDue = async (one: (typeof due)[number]): Promise<Pass> =>
    isBackingOff(one)
      ? { account: one.account, outcome: "backing_off" }
      : stepAccount(world, one.account, options);
  const { requests } = world;
  if (!requests) return Promise.all(due.map(stepDue));
  const passes: Pass[] = [];
  for (const one of due)
    passes.push(
      requests() < LEAST_PASS_REQUESTS ? { account: one.account, outcome: "postponed" } : await stepDue(one),
    );
  return passes;
}

/** So many failed passes have not made an account wait for longer; one that has not failed waits for its rate of calls. */
const isBackingOff = ({ retryAt, failures, now }: DueAccount): boolean =>
  isAhead(retryAt, now, Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.max(0, failures - 1)));

/** One pass over a stored account, if this process is configured for it. */
export async function stepAccount(world: TickDeps, account: AccountKey, options: StepOptions): Promise<Pass> {
  const venue = world.venueOf(parseAccountKey(account));
  if (!venue) return { account, outcome: "not_configured", message: "this process is not configured for it" };
  return tracedPass(world, venue, options).catch((error: unknown) => ({
    account,
    outcome: "failed",
    message: messageOf(error),
  }));
}

/** A pass as whoever collects measurements sees it. */
function tracedPass(world: TickDeps, venue: Venue, options: StepOptions): Promise<Pass> {
  const { tracer } = world;
  if (!tracer) return step(world, venue, options);
  const { exchange, kind } = venue.account;
  return tracer.span(
    "pass",
    { "edgemaker.exchange": exchange, "edgemaker.account.kind": kind },
    async (span) => {
      const pass = await step(world, venue, options);
      span.set({ "edgemaker.pass.outcome": pass.outcome });
      if (pass.outcome === "failed") span.fail("failed");
      return pass;
    },
  );
}

/** The accounts that this process should set passes for. */
export async function accountsDue(world: TickDeps): Promise<AccountKey[]> {
  const due = await world.store.due();
  return due
    .filter((one) => !isBackingOff(one) && world.venueOf(parseAccountKey(one.account)))
    .map(({ account }) => account);
}

/** Of the venue that waits longest after a failure. */
const FIRST_PAUSE: Millis = 15 * SECOND;
const LONGEST_WAIT_FOR_PASS: Millis = 10 * SECOND;
const BETWEEN_LOOKS: Millis = 50;

/** One pass on a person's word: waits for its turn when another pass is under way. */
export async function stepNow(world: TickDeps, venue: Venue): Promise<Pass> {
  const requestedAt = world.local.monotonic();
  for (;;) {
    const pass = await tracedPass(world, venue, { isUrgent: true });
    if (pass.outcome !== "busy" || world.local.monotonic() - requestedAt > LONGEST_WAIT_FOR_PASS) return pass;
    await venue.wait?.();
    await world.local.sleep(BETWEEN_LOOKS);
  }
}
