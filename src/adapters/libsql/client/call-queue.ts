import { type Millis, SECOND } from "../../../kernel/time.ts";
import type { Local } from "../../../ports/local.ts";
import { backoff } from "./patient.ts";
import { isBusy, needsConnection, storeError } from "./store-error.ts";

/** How long a call waits for a lock that another process holds, its turn in the queue included. */
const LONGEST_WAIT_FOR_LOCK: Millis = 10 * SECOND;

export interface QueueTurn {
  /** It writes nothing: while another process writes, it need not wait for those that would. */
  readonly isRead: boolean;
  /** Goes before all others, and waits as long as it takes. */
  readonly isFirst: boolean;
}

interface WaitingCall extends QueueTurn {
  readonly since: Millis;
  /** Tries once; throws when it was refused because another writes. */
  readonly attempt: () => Promise<void>;
  readonly giveUp: (error: unknown) => void;
}

interface QueueParts {
  readonly local: Local;
  /** A new connection; throws nothing, also where there is none now. */
  readonly again: () => Promise<void>;
}

/**
 * One connection's calls, one at a time. A call that was refused because another process writes had no lock and so wrote
 * nothing: it keeps its place and is tried again, and what goes first may go before it.
 */
export function callQueue({ local, again }: QueueParts) {
  let waiting: WaitingCall[] = [];
  let isWorking = false;
  let refusals = 0;
  let refusedSince: Millis | undefined;
  let triedAgainAt: Millis = Number.NEGATIVE_INFINITY;

  /**
   * The next in turn. While another process writes, reads that can go on do: before what goes first, those that were
   * waiting when it was to be tried again.
   */
  function next(): WaitingCall | undefined {
    const read = refusals > 0 ? waiting.find(({ isRead }) => isRead) : undefined;
    const first = waiting.find(({ isFirst }) => isFirst);
    return first && !(read && read.since <= triedAgainAt) ? first : (read ?? waiting[0]);
  }

  const leave = (one: WaitingCall) => {
    waiting = waiting.filter((other) => other !== one);
  };

  async function work(): Promise<void> {
    isWorking = true;
    for (let one = next(); one; one = next()) {
      try {
        await one.attempt();
        leave(one);
        if (!one.isRead) [refusals, refusedSince] = [0, undefined];
      } catch (error) {
        await refused(one, error);
      }
    }
    isWorking = false;
  }

  async function refused(one: WaitingCall, error: unknown): Promise<void> {
    if (!isBusy(error)) {
      leave(one);
      one.giveUp(storeError(error));
      if (needsConnection(error)) await again();
      return;
    }
    refusals++;
    refusedSince ??= local.monotonic();
    const late = waiting.filter(
      ({ isFirst, since }) => !isFirst && local.monotonic() - since > LONGEST_WAIT_FOR_LOCK,
    );
    for (const other of late) {
      leave(other);
      other.giveUp(storeError(error));
    }
    if (waiting.length === 0) [refusals, refusedSince] = [0, undefined];
    await local.sleep(backoff(refusals, local.randomText(1)));
    await again();
    triedAgainAt = local.monotonic();
  }

  return {
    run<T>(call: () => Promise<T>, turn: QueueTurn): Promise<T> {
      return new Promise((resolve, reject) => {
        const attempt = async () => resolve(await call());
        waiting.push({ ...turn, since: local.monotonic(), attempt, giveUp: reject });
        if (!isWorking) void work();
      });
    },
    /** How long another process has kept the first of them from writing. */
    keptWaiting: (): Millis => (refusedSince === undefined ? 0 : local.monotonic() - refusedSince),
  };
}
