import type { Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import { type AccountLease, type AccountLine, createLine, leaseUntil } from "../client/line.ts";
import type { ExchangeLink } from "./exchange-link.ts";

/** Number of nonces that are reserved at once: more than one call of the adapter ever signs. */
export const NONCES = 100;

/** A call; `inTime` reports whether a request that leaves now ends within the lease. */
export type Work<T> = (inTime: () => boolean) => Promise<T>;

export type AccountQueue = ReturnType<typeof accountQueue>;

/** The serial calls of an account in this process, with their nonces and the lease that they run under. */
export function accountQueue({ keeping, local, timing, lines }: ExchangeLink, account: AccountKey) {
  function lineOf(): AccountLine {
    const line = lines.get(account) ?? createLine();
    lines.set(account, line);
    return line;
  }

  async function renew(): Promise<void> {
    const next = await keeping.leases.nonces(account, NONCES);
    lineOf().nonces = { next, left: NONCES };
  }

  return {
    lineOf,
    /** Returns the lease, if it is in use. */
    lease: (): AccountLease | undefined => lines.get(account)?.lease,
    nonce(): number {
      const { nonces } = lineOf();
      nonces.left--;
      return nonces.next++;
    },
    renew,
    enter(until: Millis): AccountLease {
      const line = lineOf();
      line.nonces = { next: 0, left: 0 };
      line.lease = leaseUntil(local.monotonic, until - timing.requestTimeout);
      return line.lease;
    },
    /** Resolves when the calls under the lease have ended. */
    async leave(lease: AccountLease): Promise<void> {
      lease.isClosing = true;
      await Promise.allSettled(lease.riders);
      if (lines.get(account)?.lease === lease) lines.delete(account);
    },
    inLine<T>(who: "person" | "pass", work: Work<T>, inTime: () => boolean): Promise<T> {
      return lineOf().run(who, async () => {
        if (lineOf().nonces.left < NONCES / 2) await renew();
        return work(inTime);
      });
    },
  };
}
