/** Rates of calls as exchanges have them, and a process that knows what it has switched. */

import type { ExchangeLink } from "../../src/adapters/ccxt/account/exchange-link.ts";
import { openingOf, spender } from "../../src/adapters/ccxt/account/lease-calls.ts";
import type { PrivateCall, PrivateRate } from "../../src/adapters/ccxt/client/quirks.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { CallRequests } from "../../src/ports/venue.ts";
import type { Local } from "../../src/ports/within-time.ts";
import type { Random } from "./random.ts";

/** In an interval of passes each gains what an urgent pass needs, so that what a run must have done needs no longer. */
const RATES: readonly PrivateRate[] = [
  { burst: 14, perSecond: 2, reserve: 6, pass: 5 },
  { burst: 19, perSecond: 3, reserve: 8, pass: 6 },
  { burst: 20, perSecond: 10, reserve: 4 },
];

interface Around {
  readonly random: Random;
  readonly now: () => number;
  readonly violate: (what: string) => void;
}

/** The database's count of an account's calls, and the exchange's own of those that were sent. */
export function createBudgets({ random, now, violate }: Around) {
  const rate = random.pick(RATES);
  const counted = bucket(rate, now);
  // A call in hand expires whole, so the count can be one behind. Exchanges allow one more: kraken 15 where the rate is 14.
  const exchange = bucket({ ...rate, burst: rate.burst + 1 }, now);
  const rates = {
    spend: async (_account: string, { calls, kept }: CallRequests) => counted.take(calls, kept),
    exhaust: async () => counted.empty(),
  };
  return {
    isScarce: rate.pass !== undefined,
    opening: (isUrgent: boolean) => openingOf({ rate }, isUrgent),
    /** With the lease, where there are enough. */
    pays: ({ calls, kept }: CallRequests): boolean => counted.take(calls, kept) === 0,
    spenderOf: (local: Local, who: Parameters<typeof spender>[2]) =>
      spender(
        {
          quirks: { name: "sim", costs: {}, serial: false },
          rate,
          keeping: { rates },
          local,
        } as unknown as ExchangeLink,
        "sandbox:sim:" as Parameters<typeof spender>[1],
        who,
      ),
    /** A call leaves: the exchange would refuse one beyond its rate. */
    sent(kind: PrivateCall): void {
      if (exchange.take(1, 0) > 0) violate(`a call (${kind}) left beyond the rate of calls`);
    },
  };
}

export type Budgets = ReturnType<typeof createBudgets>;

function bucket({ burst, perSecond }: PrivateRate, now: () => number) {
  let [left, at] = [burst, now()];
  // In whole thousandths of a call: what both count alike comes to the same.
  const refill = () => {
    const gained = Math.floor((now() - at) * perSecond);
    left = Math.min(burst, left + gained / SECOND);
    at = now();
  };
  return {
    /** Zero where they were taken, or so long until they can be. */
    take(calls: number, kept: number): number {
      refill();
      if (left - calls >= kept - 1e-9) {
        left -= calls;
        return 0;
      }
      return Math.ceil(((calls + kept - left) * SECOND) / perSecond) + 1;
    },
    empty(): void {
      refill();
      left = 0;
    },
  };
}
