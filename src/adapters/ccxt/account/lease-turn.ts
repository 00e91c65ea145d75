import { AppError, BudgetSpent, messageOf } from "../../../kernel/errors.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import { type AccountLease, type AccountLine, createLine, isUsable, leaseUntil } from "../client/line.ts";
import type { ExchangeLink } from "./exchange-link.ts";

const LONGEST_WAIT_FOR_LEASE: Millis = 10 * SECOND;
const BETWEEN_LEASE_TRIES: Millis = 50;
/** How often a pass checks whether another process waits. */
const LOOKS_EVERY: Millis = SECOND;
/** More than one call of the adapter ever signs. */
const NONCES = 100;

type Work<T> = (inTime: () => boolean) => Promise<T>;

interface TurnHold {
  readonly requestedAt: Millis;
  readonly yieldsAfter: Millis | undefined;
}

/**
 * If nonces must arrive in order, private calls of one key are serial: in this process by a queue with people first,
 * and between processes by the account's lease. A person's call runs under the lease of this process's pass, between
 * two of its calls; without a pass it takes the lease. A pass of another process releases the lease between two
 * calls. On other exchanges, calls run directly.
 */
export function inLeaseTurn(link: ExchangeLink, account: AccountKey, hold: TurnHold | undefined) {
  const { quirks, keeping, local, timing, lines } = link;
  let lookAt = (hold?.requestedAt ?? 0) + (hold?.yieldsAfter ?? Number.POSITIVE_INFINITY);
  let isAwaited = false;
  const ofPass = quirks.serial && hold ? entered(hold.requestedAt + timing.leaseTtl) : undefined;

  return {
    nonce(): number {
      const { nonces } = lineOf();
      nonces.left--;
      return nonces.next++;
    },
    renew,
    run<T>(work: Work<T>): Promise<T> {
      if (!quirks.serial) return work(() => true);
      return ofPass ? inLine("pass", work, () => true) : byPerson(work);
    },
    /**
     * Runs before each call of a pass: throws BudgetSpent for the rest of the pass once a person waits in another
     * process.
     */
    async giveWay(): Promise<void> {
      if (!ofPass) return;
      if (!isAwaited && local.monotonic() >= lookAt) {
        lookAt = local.monotonic() + LOOKS_EVERY;
        isAwaited = await keeping.leases.awaited(account);
      }
      if (isAwaited) throw new BudgetSpent(`a manual request waits for this account of ${quirks.name}`, 0);
    },
    wait: async (): Promise<void> => {
      if (!quirks.serial) return;
      await keeping.leases.wait(account).catch((error: unknown) => {
        // The call still waits.
        link.log("warn", "the wait for a lease could not be recorded", { account, reason: messageOf(error) });
      });
    },
    /** Resolves when the calls under the pass's lease have ended; the pass makes no further calls. */
    leave: async (): Promise<void> => {
      if (ofPass) await left(ofPass);
    },
  };

  function lineOf(): AccountLine {
    const line = lines.get(account) ?? createLine();
    lines.set(account, line);
    return line;
  }

  async function renew(): Promise<void> {
    const next = await keeping.leases.nonces(account, NONCES);
    lineOf().nonces = { next, left: NONCES };
  }

  function entered(until: Millis): AccountLease {
    const line = lineOf();
    line.nonces = { next: 0, left: 0 };
    line.lease = leaseUntil(local.monotonic, until - timing.requestTimeout);
    return line.lease;
  }

  async function left(lease: AccountLease): Promise<void> {
    lease.isClosing = true;
    await Promise.allSettled(lease.riders);
    if (lines.get(account)?.lease === lease) lines.delete(account);
  }

  function inLine<T>(who: "person" | "pass", work: Work<T>, inTime: () => boolean): Promise<T> {
    return lineOf().run(who, async () => {
      if (lineOf().nonces.left < NONCES / 2) await renew();
      return work(inTime);
    });
  }

  async function byPerson<T>(work: Work<T>): Promise<T> {
    const requestedAt = local.monotonic();
    for (;;) {
      const line = lineOf();
      if (isUsable(line.lease)) return riding(line.lease, work);
      if (!line.taking) {
        const lease = await taking(line);
        if (lease) return leased(lease, work);
      } else await line.taking;
      if (isUsable(lines.get(account)?.lease)) continue;
      if (local.monotonic() - requestedAt > LONGEST_WAIT_FOR_LEASE)
        throw new AppError("Too many requests", `${link.id} is busy with this account's other calls`, {
          retryAfterSeconds: 5,
        });
      await local.sleep(BETWEEN_LEASE_TRIES);
    }
  }

  function riding<T>(lease: AccountLease, work: Work<T>): Promise<T> {
    const ridden = inLine("person", work, lease.inTime);
    const ended: Promise<unknown> = ridden.catch(() => undefined).finally(() => lease.riders.delete(ended));
    lease.riders.add(ended);
    return ridden;
  }

  function taking(line: AccountLine): Promise<AccountLease | undefined> {
    const request = takeLease().finally(() => {
      line.taking = undefined;
    });
    line.taking = request.catch(() => undefined);
    return request;
  }

  async function takeLease(): Promise<AccountLease | undefined> {
    const ttl = timing.requestTimeout * 2;
    const owner = local.randomText(16);
    const startedAt = local.monotonic();
    const next = await keeping.leases.takeLease(account, { owner, ttl, count: NONCES });
    if (next === undefined) return undefined;
    const lease = { ...leaseUntil(local.monotonic, startedAt + ttl - timing.requestTimeout), owner };
    Object.assign(lineOf(), { lease, nonces: { next, left: NONCES } });
    return lease;
  }

  async function leased<T>(lease: AccountLease & { readonly owner?: string }, work: Work<T>): Promise<T> {
    try {
      return await inLine("person", work, lease.inTime);
    } finally {
      await left(lease);
      await keeping.leases.giveBack(account, lease.owner ?? "").catch((error: unknown) => {
        // The lease expires by itself.
        link.log("warn", "a lease could not be released", { account, reason: messageOf(error) });
      });
    }
  }
}
