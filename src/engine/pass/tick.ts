import { messageOf } from "../../kernel/errors.ts";
import { isAhead, LONGEST_PAUSE, type Millis, SECOND } from "../../kernel/time.ts";
import { type AccountKey, parseAccountKey } from "../../model/account.ts";
import type { Deps } from "../../ports/deps.ts";
import type { DueAccount } from "../../ports/stores/step-store.ts";
import type { Venue } from "../../ports/venue.ts";
import { type Pass, type StepDeps, type StepOptions, step } from "./step.ts";

type TickDeps = StepDeps & Pick<Deps, "venueOf" | "tracer">;

/** Minimum number of requests for a pass over one market; with fewer, it would only wait again. */
const LEAST_PASS_REQUESTS = 12;

export interface TickOptions extends StepOptions {
  /** Starts an account's pass: returns the time until its next one, or undefined if this tick makes none. */
  readonly paceOf?: (account: AccountKey) => Millis | undefined;
}

/**
 * Runs one pass over every account that is due. The timer, the cron and POST /internal/tick call it. If requests are
 * limited, the accounts that have waited longest come first.
 */
export async function tick(deps: TickDeps, { paceOf, ...options }: TickOptions = {}): Promise<Pass[]> {
  const all = await deps.store.due();
  const paces = new Map(paceOf && all.map(({ account }) => [account, paceOf(account)]));
  const due = paceOf ? all.filter(({ account }) => paces.get(account) !== undefined) : all;
  const stepDue = async (dueAccount: (typeof due)[number]): Promise<Pass> =>
    isBackingOff(dueAccount)
      ? { account: dueAccount.account, outcome: "backing_off" }
      : stepAccount(
          { ...deps, interval: paces.get(dueAccount.account) ?? deps.interval },
          dueAccount.account,
          options,
        );
  const { requests } = deps;
  if (!requests) return Promise.all(due.map(stepDue));
  const passes: Pass[] = [];
  for (const dueAccount of due)
    passes.push(
      requests() < LEAST_PASS_REQUESTS
        ? { account: dueAccount.account, outcome: "postponed" }
        : await stepDue(dueAccount),
    );
  return passes;
}

/** Returns whether an account waits after failed passes; one without failures waits for its rate limit. */
const isBackingOff = ({ retryAt, failures, now }: DueAccount): boolean =>
  isAhead(retryAt, now, Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.max(0, failures - 1)));

/** Runs one pass over a stored account, if this process has a configuration for it. */
export async function stepAccount(deps: TickDeps, account: AccountKey, options: StepOptions): Promise<Pass> {
  const venue = deps.venueOf(parseAccountKey(account));
  if (!venue) return { account, outcome: "not_configured", message: "this process is not configured for it" };
  return tracedPass(deps, venue, options).catch((error: unknown) => ({
    account,
    outcome: "failed",
    message: messageOf(error),
  }));
}

/** Runs a pass inside a trace span. */
function tracedPass(deps: TickDeps, venue: Venue, options: StepOptions): Promise<Pass> {
  const { tracer } = deps;
  if (!tracer) return step(deps, venue, options);
  const { exchange, kind } = venue.account;
  return tracer.span(
    "pass",
    { "edgemaker.exchange": exchange, "edgemaker.account.kind": kind },
    async (span) => {
      const pass = await step(deps, venue, options);
      span.set({ "edgemaker.pass.outcome": pass.outcome });
      if (pass.outcome === "failed") span.fail("failed");
      return pass;
    },
  );
}

/** Returns the accounts that this process should run passes for. */
export async function accountsDue(deps: TickDeps): Promise<AccountKey[]> {
  const due = await deps.store.due();
  return due
    .filter((dueAccount) => !isBackingOff(dueAccount) && deps.venueOf(parseAccountKey(dueAccount.account)))
    .map(({ account }) => account);
}

/** Initial wait after a failure. */
const FIRST_PAUSE: Millis = 15 * SECOND;
const LONGEST_WAIT_FOR_PASS: Millis = 10 * SECOND;
const BETWEEN_LOOKS: Millis = 50;

/** Runs one pass on a person's request; waits if another pass is running. */
export async function stepNow(deps: TickDeps, venue: Venue): Promise<Pass> {
  const requestedAt = deps.local.monotonic();
  for (;;) {
    const pass = await tracedPass(deps, venue, { isUrgent: true });
    if (pass.outcome !== "busy" || deps.local.monotonic() - requestedAt > LONGEST_WAIT_FOR_PASS) return pass;
    await venue.wait?.();
    await deps.local.sleep(BETWEEN_LOOKS);
  }
}
