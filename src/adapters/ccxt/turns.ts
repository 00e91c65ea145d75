import { AppError, messageOf } from "../../errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { AccountKey } from "../../records.ts";
import type { Place } from "./place.ts";

const PATIENCE: Millis = 10 * SECOND;
const BETWEEN: Millis = 50;
/** More than one call of the adapter ever signs. */
const NONCES = 100;

/**
 * Where nonces have to arrive in their order, private calls of one key go one at a time: by a queue in this
 * process, and between processes by the account's lease, which a pass holds anyway. Elsewhere they just go.
 */
export function inTurn(place: Place, account: AccountKey, isPass: boolean) {
  const { quirks, keeping, local } = place;
  let next = 0;
  let left = 0;
  const renew = async () => {
    next = await keeping.turns.nonces(account, NONCES);
    left = NONCES;
  };

  return {
    nonce: () => {
      left--;
      return next++;
    },
    renew,
    run<T>(work: (inTime: () => boolean) => Promise<T>): Promise<T> {
      if (!quirks.serial) return work(() => true);
      return isPass ? ofPass(work) : queued(work);
    },
  };

  async function ofPass<T>(work: (inTime: () => boolean) => Promise<T>): Promise<T> {
    if (left < NONCES / 2) await renew();
    return work(() => true);
  }

  function queued<T>(work: (inTime: () => boolean) => Promise<T>): Promise<T> {
    const askedAt = local.monotonic();
    const turn = (place.queues.get(account) ?? Promise.resolve()).then(() => leased(work, askedAt));
    const ended = turn
      .catch(() => undefined)
      .then(() => {
        if (place.queues.get(account) === ended) place.queues.delete(account);
      });
    place.queues.set(account, ended);
    return turn;
  }

  async function leased<T>(work: (inTime: () => boolean) => Promise<T>, askedAt: Millis): Promise<T> {
    const owner = local.randomText(16);
    const ttl = place.timing.requestTimeout * 2;
    const takenAt = await taken(owner, ttl, askedAt);
    try {
      // A request of ours must have ended before the lease could be another's.
      return await work(() => local.monotonic() <= takenAt + ttl - place.timing.requestTimeout);
    } finally {
      await keeping.turns.give(account, owner).catch((error: unknown) => {
        // The lease runs out by itself.
        place.log("warn", "a lease could not be given back", { account, reason: messageOf(error) });
      });
    }
  }

  async function taken(owner: string, ttl: Millis, askedAt: Millis): Promise<Millis> {
    for (;;) {
      const takenAt = local.monotonic();
      const first = await keeping.turns.take(account, { owner, ttl, count: NONCES });
      if (first !== undefined) {
        next = first;
        left = NONCES;
        return takenAt;
      }
      if (local.monotonic() - askedAt > PATIENCE)
        throw new AppError("Too many requests", `${place.id} is busy with this account's other calls`, {
          retryAfterSeconds: 5,
        });
      await local.sleep(BETWEEN);
    }
  }
}
