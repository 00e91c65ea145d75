import { BudgetSpent, messageOf } from "../../../kernel/errors.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import { accountQueue, type Work } from "./account-queue.ts";
import type { ExchangeLink } from "./exchange-link.ts";
import { personTurn } from "./person-turn.ts";

/** How often a pass checks whether another process waits. */
const LOOKS_EVERY: Millis = SECOND;

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
  const { quirks, keeping, local, timing } = link;
  const queue = accountQueue(link, account);
  const byPerson = personTurn(link, account, queue);
  let lookAt = (hold?.requestedAt ?? 0) + (hold?.yieldsAfter ?? Number.POSITIVE_INFINITY);
  let isAwaited = false;
  const ofPass = quirks.serial && hold ? queue.enter(hold.requestedAt + timing.leaseTtl) : undefined;

  return {
    nonce: queue.nonce,
    renew: queue.renew,
    run<T>(work: Work<T>): Promise<T> {
      if (!quirks.serial) return work(() => true);
      return ofPass ? queue.inLine("pass", work, () => true) : byPerson(work);
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
      if (ofPass) await queue.leave(ofPass);
    },
  };
}
