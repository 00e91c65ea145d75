/** Schedules passes that a hint requests before the next tick. */

import type { Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Local } from "../../../ports/local.ts";
import type { Pass } from "../step.ts";

/** Minimum time between the starts of two early passes of an account. */
const EARLY_GAP: Millis = 250;
/** Early passes that an account can make in a row. Each tick interval adds one, so hints never cost more than ticks. */
const MOST_SAVED = 60;

interface EarlyParts {
  readonly local: Pick<Local, "monotonic" | "sleep">;
  /** Tick interval. */
  readonly interval: Millis;
  /** Runs a pass over an account if it is due; returns undefined if it is not. Never rejects. */
  readonly run: (account: AccountKey) => Promise<Pass | undefined>;
}

interface EarlyAccount {
  isWaiting: boolean;
  /** Whether a loop serves its requests. */
  isServed: boolean;
  pass?: Promise<Pass | undefined> | undefined;
  startedAt: Millis;
  /** When the rate limit has calls for a pass that it postponed. */
  retryAt: Millis;
  /** When the account could save no further passes; it is later than now by one interval for each used one. */
  fullAt: Millis;
}

/** Merges requests for early passes: at most one waits per account, however many hints arrive. */
export function earlyPasses({ local, interval, run }: EarlyParts) {
  const accounts = new Map<AccountKey, EarlyAccount>();
  let isStopped = false;

  const stateOf = (account: AccountKey): EarlyAccount => {
    const known = accounts.get(account);
    if (known) return known;
    const made = {
      isWaiting: false,
      isServed: false,
      retryAt: 0,
      startedAt: Number.NEGATIVE_INFINITY,
      fullAt: 0,
    };
    accounts.set(account, made);
    return made;
  };

  const waitOf = ({ startedAt, retryAt, fullAt }: EarlyAccount): Millis => {
    const now = local.monotonic();
    return Math.max(startedAt + EARLY_GAP - now, retryAt - now, fullAt - (MOST_SAVED - 1) * interval - now);
  };

  async function serve(account: AccountKey, state: EarlyAccount): Promise<void> {
    if (state.isServed) return;
    state.isServed = true;
    while (state.isWaiting && !isStopped) {
      const wait = waitOf(state);
      if (wait > 0) {
        await local.sleep(wait);
        continue;
      }
      state.isWaiting = false;
      state.startedAt = local.monotonic();
      state.fullAt = Math.max(state.fullAt, state.startedAt) + interval;
      state.pass = run(account);
      const pass = await state.pass;
      // Another pass holds the lease, and can have read the exchange before the hint.
      if (pass?.outcome === "busy") state.isWaiting = true;
      if (pass?.retryIn === undefined) continue;
      state.isWaiting = true;
      state.retryAt = local.monotonic() + pass.retryIn + EARLY_GAP;
    }
    state.isServed = false;
  }

  return {
    /** Requests a pass as soon as possible; one that has started does not count. */
    request(account: AccountKey): void {
      const state = stateOf(account);
      state.isWaiting = true;
      void serve(account, state);
    },
    /** A tick starts a pass of the account, which serves a waiting request. */
    serves(account: AccountKey): void {
      const state = accounts.get(account);
      if (state) state.isWaiting = false;
    },
    /** Starts no further pass, and waits for those that run. */
    async stop(): Promise<void> {
      isStopped = true;
      await Promise.all([...accounts.values()].map(({ pass }) => pass));
    },
  };
}
