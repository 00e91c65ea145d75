import { VenueError } from "../../../kernel/errors.ts";
import { createBuckets } from "../../../kernel/rate-limit.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { CallRate } from "../../../ports/venue.ts";

/** Common rate limit of all requests without a token to one exchange. */
export interface PublicBudget {
  /** Takes one call; returns an error if none is left. */
  refusal(): VenueError | undefined;
}

/** Returns the exchange's rate of public reads, or the operator's setting. */
export const outboundRate = (own: CallRate, set: number | undefined): CallRate =>
  set === undefined ? own : { burst: set, perSecond: set };

/** More hosts than a process has exchanges. */
const MOST_HOSTS = 1000;

/** Rate limits by host, because an exchange counts by IP address, whatever our accounts are called. */
export function publicBudgets(monotonic: () => Millis) {
  const budgets = new Map<string, PublicBudget>();
  return (host: string, name: string, { burst, perSecond }: CallRate): PublicBudget => {
    const buckets = createBuckets({ count: perSecond, millis: SECOND, burst }, MOST_HOSTS);
    const budget: PublicBudget = budgets.get(host) ?? {
      refusal() {
        const wait = buckets.take(host, monotonic());
        if (wait <= 0) return undefined;
        const retryAfterSeconds = Math.ceil(wait / SECOND);
        return new VenueError(
          "too_many",
          `${name} gets at most ${perSecond} public requests per second; retry in ${retryAfterSeconds} s`,
          { retryAfterSeconds },
        );
      },
    };
    budgets.set(host, budget);
    return budget;
  };
}

export type PublicBudgets = ReturnType<typeof publicBudgets>;
