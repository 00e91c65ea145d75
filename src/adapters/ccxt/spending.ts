import { VenueError } from "../../errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { AccountKey } from "../../records.ts";
import type { Place } from "./place.ts";
import type { PrivateCall } from "./quirks.ts";

/** How long a call waits for its share of the rate before it is given up. */
const PATIENCE: Millis = 8 * SECOND;

/**
 * Takes an account's calls from its rate, which all processes share. A pass takes a second's worth at once:
 * each taking is a write to the database.
 */
export function spender({ quirks, rate, keeping, local }: Place, account: AccountKey, isPass: boolean) {
  let left = 0;
  return {
    async take(kind: PrivateCall): Promise<void> {
      const cost = quirks.costs[kind] ?? 1;
      if (!rate || cost === 0) return;
      if (left < cost) left += await takeMore(isPass ? Math.max(cost, Math.floor(rate.perSecond)) : cost);
      left -= cost;
    },
    async exhausted(): Promise<void> {
      left = 0;
      if (rate) await keeping.rates.exhaust(account, rate);
    },
  };

  async function takeMore(calls: number): Promise<number> {
    if (!rate) return calls;
    for (let waited = 0; ; ) {
      const wait = await keeping.rates.spend(account, calls, rate);
      if (wait <= 0) return calls;
      waited += wait;
      if (waited > PATIENCE)
        throw new VenueError(
          "rate_limited",
          `the rate of calls to ${quirks.name} is used up for ${Math.ceil(wait / SECOND)} s`,
        );
      await local.sleep(wait);
    }
  }
}
