import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Local } from "../../ports/local.ts";
import { backoff } from "./patient.ts";
import { isBusy, needsConnection, storeError } from "./store-error.ts";

/** Maximum wait of a call for another process's lock, including its time in the queue. */
const LONGEST_WAIT_FOR_LOCK: Millis = 10 * SECOND;

export interface QueueTurn {
  /** Whether it only reads; while another process writes, it can run before waiting writes. */
  readonly isRead: boolean;
  /** Whether it runs before all others and has no maximum wait. */
  readonly isFirst: boolean;
}

interface WaitingCall extends QueueTurn {
  readonly since: Millis;
  /** Tries once; throws if another process holds the write lock. */
  readonly attempt: () => Promise<void>;
  readonly giveUp: (error: unknown) => void;
}

interface QueueParts {
  readonly local: Local;
  /** Opens a new connection; never throws, even if none can be opened now. */
  readonly again: () => Promise<void>;
}

/**
 * Queues one connection's calls. A call that was refused because another process writes had no effect: it keeps its
 * place and is retried, and only a call with priority can overtake it.
 */
export function callQueue({ local, again }: QueueParts) {
  let waiting: WaitingCall[] = [];
  let isWorking = false;
  let refusals = 0;
  let refusedSince: Millis | undefined;
  let triedAgainAt: Millis = Number.NEGATIVE_INFINITY;

  /**
   * Returns the next call. While another process writes, possible reads run first, even before a call with priority
   * that is waiting for its retry.
   */
  function next(): WaitingCall | undefined {
    const read = refusals > 0 ? waiting.find(({ isRead }) => isRead) : undefined;
    const first = waiting.find(({ isFirst }) => isFirst);
    return first && !(read && read.since <= triedAgainAt) ? first : (read ?? waiting[0]);
  }

  const leave = (waitingCall: WaitingCall) => {
    waiting = waiting.filter((other) => other !== waitingCall);
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

  async function refused(waitingCall: WaitingCall, error: unknown): Promise<void> {
    if (!isBusy(error)) {
      leave(waitingCall);
      waitingCall.giveUp(storeError(error));
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
    run<T>(call: () => Promise<T>, context: QueueTurn): Promise<T> {
      return new Promise((resolve, reject) => {
        const attempt = async () => resolve(await call());
        waiting.push({ ...context, since: local.monotonic(), attempt, giveUp: reject });
        if (!isWorking) void work();
      });
    },
    /** Returns how long another process has kept the first call from writing. */
    keptWaiting: (): Millis => (refusedSince === undefined ? 0 : local.monotonic() - refusedSince),
  };
}
