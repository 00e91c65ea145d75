import { AppError, messageOf } from "../../../kernel/errors.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import { type AccountLease, type AccountLine, isUsable, leaseUntil } from "../client/line.ts";
import { type AccountQueue, NONCES, type Work } from "./account-queue.ts";
import type { ExchangeLink } from "./exchange-link.ts";

const LONGEST_WAIT_FOR_LEASE: Millis = 10 * SECOND;
const BETWEEN_LEASE_TRIES: Millis = 50;

/** Runs a person's call under the lease that this process has, or takes the lease for it. */
export function personTurn(link: ExchangeLink, account: AccountKey, queue: AccountQueue) {
  const { local, keeping } = link;

  async function leased<T>(lease: AccountLease & { readonly owner?: string }, work: Work<T>): Promise<T> {
    try {
      return await queue.inLine("person", work, lease.inTime);
    } finally {
      await queue.leave(lease);
      await keeping.leases.giveBack(account, lease.owner ?? "").catch((error: unknown) => {
        // The lease expires by itself.
        link.log("warn", "a lease could not be released", { account, reason: messageOf(error) });
      });
    }
  }

  return async <T>(work: Work<T>): Promise<T> => {
    const requestedAt = local.monotonic();
    for (;;) {
      const line = queue.lineOf();
      if (isUsable(line.lease)) return riding(queue, line.lease, work);
      if (!line.taking) {
        const lease = await taking(line, takeLease(link, account, queue));
        if (lease) return leased(lease, work);
      } else await line.taking;
      if (isUsable(queue.lease())) continue;
      if (local.monotonic() - requestedAt > LONGEST_WAIT_FOR_LEASE)
        throw new AppError("Too many requests", `${link.id} is busy with this account's other calls`, {
          retryAfterSeconds: 5,
        });
      await local.sleep(BETWEEN_LEASE_TRIES);
    }
  };
}

function riding<T>(queue: AccountQueue, lease: AccountLease, work: Work<T>): Promise<T> {
  const ridden = queue.inLine("person", work, lease.inTime);
  const ended: Promise<unknown> = ridden.catch(() => undefined).finally(() => lease.riders.delete(ended));
  lease.riders.add(ended);
  return ridden;
}

function taking(
  line: AccountLine,
  claim: Promise<AccountLease | undefined>,
): Promise<AccountLease | undefined> {
  const request = claim.finally(() => {
    line.taking = undefined;
  });
  line.taking = request.catch(() => undefined);
  return request;
}

async function takeLease(
  { local, timing, keeping }: ExchangeLink,
  account: AccountKey,
  queue: AccountQueue,
): Promise<AccountLease | undefined> {
  const ttl = timing.requestTimeout * 2;
  const owner = local.randomText(16);
  const startedAt = local.monotonic();
  const next = await keeping.leases.takeLease(account, { owner, ttl, count: NONCES });
  if (next === undefined) return undefined;
  const lease = { ...leaseUntil(local.monotonic, startedAt + ttl - timing.requestTimeout), owner };
  Object.assign(queue.lineOf(), { lease, nonces: { next, left: NONCES } });
  return lease;
}
