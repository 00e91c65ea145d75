import { BudgetSpent } from "../../../kernel/errors.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { CallRequests } from "../../../ports/venue.ts";
import type { PrivateCall, PrivateRate } from "../client/quirks.ts";
import type { ExchangeLink } from "./exchange-link.ts";

/** How long a person's call waits for its share of the rate before it is given up. */
const LONGEST_WAIT_FOR_RATE: Millis = 8 * SECOND;

/** Who makes the calls: a pass leaves to people, and to a pass that people wait for, what is reserved for them. */
export type Spender = "person" | "pass" | "urgent pass";

/**
 * What a pass takes before its first call. Where a whole one has a number of calls, that is one, where there are so many:
 * a pass that began with less would use up what has just come back, and so would the next: none would ever have enough
 * to act. Elsewhere it is a second's worth, as each taking is a write to the database.
 */
export function openingOf({ rate }: Pick<ExchangeLink, "rate">, isUrgent: boolean): CallRequests | undefined {
  if (!rate) return undefined;
  if (rate.pass && !isUrgent) return { calls: 1, kept: rate.reserve + rate.pass - 1, rate };
  const calls = secondsWorth(rate);
  return calls > 0 ? { calls, kept: isUrgent ? 0 : rate.reserve, rate } : undefined;
}

const secondsWorth = ({ perSecond, burst, reserve }: PrivateRate): number =>
  Math.min(Math.floor(perSecond), burst - reserve);

/** Taken by a pass with its lease, at a time of this process's own clock. */
export interface PaidCalls extends CallRequests {
  readonly at: Millis;
}

/** After so long the rate has regained them, and others may have made as many: what was not made by then is lost. */
const goodUntil = ({ calls, rate: { perSecond }, at }: PaidCalls): Millis =>
  at + (calls * SECOND) / perSecond;

/** Takes an account's calls from its rate, which all processes share; a pass may have some that are paid for. */
export function spender(
  { quirks, rate, keeping, local }: ExchangeLink,
  account: AccountKey,
  { who, paid }: { readonly who: Spender; readonly paid?: PaidCalls | undefined },
) {
  let left = 0;
  let first = true;
  let unused = paid;
  return {
    /** Of a pass: takes its first call, where there are those of a whole one. */
    async begin(): Promise<void> {
      if (who !== "pass" || !rate?.pass) return;
      usePaid();
      if (left > 0) return;
      left += await takeMore(1, rate.reserve + rate.pass - 1, 0);
    },
    /** Before the call, and before its turn: whoever waits for the rate is in nobody's way. */
    async take(kind: PrivateCall): Promise<void> {
      await takeUp(kind, patience());
      first = true;
    },
    /** Before each request of the call, of which the first has been paid for. */
    async request(kind: PrivateCall): Promise<void> {
      if (!first) await takeUp(kind, quirks.serial ? 0 : patience());
      first = false;
    },
    async exhausted(kind: PrivateCall): Promise<void> {
      if (!rate || costOf(kind) === 0) return;
      left = 0;
      await keeping.rates.exhaust(account, rate);
    },
  };

  function costOf(kind: PrivateCall): number {
    return quirks.costs[kind] ?? 1;
  }

  // A pass waits only where a second gives back several calls: others wait for what it holds.
  function patience(): Millis {
    return who === "person" ? LONGEST_WAIT_FOR_RATE : Math.floor(rate?.perSecond ?? 0) * (SECOND / 10);
  }

  /** Once: what is left after the first call is what a taking leaves. */
  function usePaid(): void {
    if (unused && local.monotonic() <= goodUntil(unused)) left += unused.calls;
    unused = undefined;
  }

  async function takeUp(kind: PrivateCall, most: Millis): Promise<void> {
    const cost = costOf(kind);
    if (!rate || cost === 0) return;
    usePaid();
    const kept = who === "pass" && kind !== "cancel" ? rate.reserve : 0;
    if (left < cost)
      left += await takeMore(who === "person" ? cost : Math.max(cost, secondsWorth(rate)), kept, most);
    left -= cost;
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
