import { BudgetSpent } from "../../../kernel/errors.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { CallRequests } from "../../../ports/venue.ts";
import type { PrivateCall, PrivateRate } from "../client/quirks.ts";
import type { ExchangeLink } from "./exchange-link.ts";

/** Maximum wait of a person's call for the rate limit. */
const LONGEST_WAIT_FOR_RATE: Millis = 8 * SECOND;

/** The caller: a pass leaves the reserved calls to people, and to passes that people wait for. */
export type Spender = "person" | "pass" | "urgent pass";

/**
 * Returns the calls that a pass takes before its first call. If a whole pass has a known number of calls, that is one
 * call once so many are available; otherwise passes with too few calls would use them up, and none could ever act.
 * Elsewhere it is one second's worth, because each take writes to the database.
 */
export function openingOf({ rate }: Pick<ExchangeLink, "rate">, isUrgent: boolean): CallRequests | undefined {
  if (!rate) return undefined;
  if (rate.pass && !isUrgent) return { calls: 1, kept: rate.reserve + rate.pass - 1, rate };
  const calls = secondsWorth(rate);
  return calls > 0 ? { calls, kept: isUrgent ? 0 : rate.reserve, rate } : undefined;
}

const secondsWorth = ({ perSecond, burst, reserve }: PrivateRate): number =>
  Math.min(Math.floor(perSecond), burst - reserve);

/** Calls that a pass took with its lease, at a time of this process's clock. */
export interface PaidCalls extends CallRequests {
  readonly at: Millis;
}

/**
 * How long after the lease a pass uses prepaid calls without another look at the rate limit. A 429 of another process
 * empties the rate limit, and a pass must notice that before its first call.
 */
const UNCHECKED_FOR: Millis = 250;

/** Takes calls from the account's rate limit, which all processes share; a pass can have prepaid calls. */
export function spender(
  { quirks, rate, keeping, local }: ExchangeLink,
  account: AccountKey,
  { who, paid }: { readonly who: Spender; readonly paid?: PaidCalls | undefined },
) {
  const hand = callsInHand(local, rate, paid);
  return {
    /** For a pass: takes its first call, if the calls of a whole pass are available. */
    async begin(): Promise<void> {
      if (who !== "pass" || !rate?.pass) return;
      hand.usePaid();
      if (hand.count() > 0) return;
      await addCalls(1, rate.reserve + rate.pass - 1, 0);
    },
    /**
     * Waits for the rate limit before the call gets its turn, so it does not block others. Returns what runs before each
     * request of the call; the first one is already paid.
     */
    async take(kind: PrivateCall): Promise<() => Promise<void>> {
      await takeUp(kind, patience());
      let first = true;
      return async () => {
        if (!first) await takeUp(kind, quirks.serial ? 0 : patience());
        first = false;
      };
    },
    async exhausted(kind: PrivateCall): Promise<void> {
      if (!rate || costOf(kind) === 0) return;
      hand.empty();
      await keeping.rates.exhaust(account, rate);
    },
  };

  function costOf(kind: PrivateCall): number {
    return quirks.costs[kind] ?? 1;
  }

  // A pass waits only if a second regains several calls, because others wait for its lease.
  function patience(): Millis {
    return who === "person" ? LONGEST_WAIT_FOR_RATE : Math.floor(rate?.perSecond ?? 0) * (SECOND / 10);
  }

  async function takeUp(kind: PrivateCall, most: Millis): Promise<void> {
    const cost = costOf(kind);
    if (!rate || cost === 0) return;
    hand.usePaid();
    const kept = who === "pass" && kind !== "cancel" ? rate.reserve : 0;
    if (hand.count() < cost)
      await addCalls(who === "person" ? cost : Math.max(cost, secondsWorth(rate)), kept, most);
    hand.add(-cost);
  }

  async function addCalls(calls: number, kept: number, most: Millis): Promise<void> {
    const more = await takeMore(calls, kept, most);
    hand.count();
    hand.add(more);
  }

  async function takeMore(calls: number, kept: number, most: Millis): Promise<number> {
    if (!rate) return calls;
    for (let waited = 0; ; ) {
      const wait = await keeping.rates.spend(account, { calls, kept, rate });
      if (wait <= 0) return calls;
      waited += wait;
      const seconds = Math.ceil(wait / SECOND);
      if (waited > most)
        throw new BudgetSpent(`the rate of calls to ${quirks.name} is used up for ${seconds} s`, wait);
      await local.sleep(wait);
    }
  }
}

/** The calls that were taken from the rate limit and not used yet. */
function callsInHand(
  { monotonic }: Pick<ExchangeLink["local"], "monotonic">,
  rate: PrivateRate | undefined,
  paid: PaidCalls | undefined,
) {
  const since = monotonic();
  let [left, leftAt, unused] = [0, since, paid];
  return {
    /** Runs once: the calls after the first one are counted as taken. */
    usePaid(): void {
      if (unused && monotonic() <= since + UNCHECKED_FOR) {
        left = unused.calls;
        leftAt = unused.at;
      }
      unused = undefined;
    },
    /**
     * Returns how many calls that were taken earlier can still be used. They expire as fast as the rate limit regains
     * them, because other callers can use what it has regained.
     */
    count(): number {
      const now = monotonic();
      left = Math.max(0, left - ((now - leftAt) * (rate?.perSecond ?? 0)) / SECOND);
      leftAt = now;
      return Math.ceil(left);
    },
    add(calls: number): void {
      left += calls;
    },
    empty(): void {
      left = 0;
    },
  };
}
