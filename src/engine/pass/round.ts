import { messageOf } from "../../kernel/errors.ts";
import { isAhead, MAX_BACKOFF_MS, type Millis, SECOND } from "../../kernel/time.ts";
import { type AccountKey, parseAccountKey } from "../../model/account.ts";
import type { ConfiguredExchanges } from "../../ports/exchanges.ts";
import type { DueAccount } from "../../ports/stores/pass-store.ts";
import type { Venue } from "../../ports/venue.ts";
import { type Pass, type PassDeps, type PassOptions, runPass } from "./pass.ts";

type RoundDeps = PassDeps & Pick<ConfiguredExchanges, "venueOf">;

/** Minimum number of requests for a pass over one market; with fewer, it would only wait again. */
const MIN_PASS_REQUESTS = 12;

interface RoundOptions extends PassOptions {
  /** Starts an account's pass: returns the time until its next one, or undefined if this round makes none. */
  readonly paceOf?: (account: AccountKey) => Millis | undefined;
  /** Whether accounts that wait after failed passes are tried too. */
  readonly retries?: boolean | undefined;
  /** Takes each pass when it ends, before those of slower accounts. */
  readonly ended?: (pass: Pass) => void;
}

/**
 * Runs one pass over every account that is due. The timer, the cron and POST /internal/tick call it. If requests are
 * limited, the accounts that have waited longest come first.
 */
export async function runRound(
  deps: RoundDeps,
  { paceOf, ended, retries = false, ...options }: RoundOptions = {},
): Promise<Pass[]> {
  const all = await deps.store.due();
  const paces = new Map(paceOf && all.map(({ account }) => [account, paceOf(account)]));
  const due = paceOf ? all.filter(({ account }) => paces.get(account) !== undefined) : all;
  const runDuePass = async (dueAccount: (typeof due)[number]): Promise<Pass> => {
    const { account } = dueAccount;
    const isRetried = retries && dueAccount.failures > 0;
    const pass: Pass =
      !isRetried && isBackingOff(dueAccount)
        ? { account, outcome: "backing_off" }
        : await runAccountPass({ ...deps, interval: paces.get(account) ?? deps.interval }, account, options);
    ended?.(pass);
    return pass;
  };
  const { requests } = deps;
  if (!requests) return Promise.all(due.map(runDuePass));
  const passes: Pass[] = [];
  for (const dueAccount of due)
    passes.push(
      requests() < MIN_PASS_REQUESTS
        ? { account: dueAccount.account, outcome: "postponed" }
        : await runDuePass(dueAccount),
    );
  return passes;
}

/** Initial wait after a failure. */
const FIRST_PAUSE: Millis = 15 * SECOND;

/** Returns whether an account waits after failed passes; one without failures waits for its rate limit. */
const isBackingOff = ({ retryAt, failures, now }: DueAccount): boolean =>
  isAhead(retryAt, now, Math.min(MAX_BACKOFF_MS, FIRST_PAUSE * 2 ** Math.max(0, failures - 1)));

/** Runs one pass over a stored account, if this process has a configuration for it. Never rejects. */
export async function runAccountPass(
  deps: RoundDeps,
  account: AccountKey,
  options: PassOptions,
): Promise<Pass> {
  try {
    const venue = deps.venueOf(parseAccountKey(account));
    if (!venue)
      return { account, outcome: "not_configured", message: "this process is not configured for it" };
    return await tracedPass(deps, venue, options);
  } catch (error) {
    return { account, outcome: "failed", message: messageOf(error) };
  }
}

/** Runs a pass inside a trace span. */
function tracedPass(deps: RoundDeps, venue: Venue, options: PassOptions): Promise<Pass> {
  const { tracer } = deps;
  if (!tracer) return runPass(deps, venue, options);
  const { exchange, kind } = venue.account;
  return tracer.span(
    "pass",
    { "edgemaker.exchange": exchange, "edgemaker.account.kind": kind },
    async (span) => {
      const pass = await runPass(deps, venue, options);
      span.set({ "edgemaker.pass.outcome": pass.outcome });
      if (pass.outcome === "failed") span.fail("failed");
      return pass;
    },
  );
}

/** Returns the accounts that this process should run passes for. */
export async function accountsDue(deps: RoundDeps): Promise<AccountKey[]> {
  const due = await deps.store.due();
  return due
    .filter((dueAccount) => !isBackingOff(dueAccount) && deps.venueOf(parseAccountKey(dueAccount.account)))
    .map(({ account }) => account);
}

const MAX_PASS_WAIT_MS: Millis = 10 * SECOND;
const BETWEEN_LOOKS: Millis = 50;

/** Runs one pass on a person's request; waits if another pass is running. */
export async function runPassNow(deps: RoundDeps, venue: Venue): Promise<Pass> {
  const requestedAt = deps.local.monotonic();
  for (;;) {
    const pass = await tracedPass(deps, venue, { isUrgent: true });
    if (pass.outcome !== "busy" || deps.local.monotonic() - requestedAt > MAX_PASS_WAIT_MS) return pass;
    await venue.wait?.();
    await deps.local.sleep(BETWEEN_LOOKS);
  }
}
