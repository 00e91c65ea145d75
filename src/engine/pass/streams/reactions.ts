import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Reactions } from "../../../ports/stream.ts";

/** Upper bounds in milliseconds; longer times count only in the total. */
const BUCKETS: readonly Millis[] = [0.25, 0.5, 1, 1.5, 2.5, 5, 10, 30, 60].map((bound) => bound * SECOND);

/** Counts the times from fills to the orders that answer them, since this process started. */
export function reactionTimes() {
  const counts = new Map<AccountKey, { buckets: number[]; count: number; sum: Millis }>();
  return {
    add(account: AccountKey, time: Millis): void {
      const known = counts.get(account) ?? { buckets: BUCKETS.map(() => 0), count: 0, sum: 0 };
      counts.set(account, known);
      // A fill's time is the exchange's, which can be slightly ahead.
      const positive = Math.max(0, time);
      known.count++;
      known.sum += positive;
      for (const [at, bound] of BUCKETS.entries())
        if (positive <= bound) known.buckets[at] = (known.buckets[at] ?? 0) + 1;
    },
    read: (): Reactions[] =>
      [...counts].map(([account, { buckets, count, sum }]) => ({
        account,
        count,
        sum,
        buckets: BUCKETS.map((most, at) => ({ most, count: buckets[at] ?? 0 })),
      })),
  };
}
