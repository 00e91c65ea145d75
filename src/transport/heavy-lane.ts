import { AppError } from "../kernel/errors.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import { canceledRequest, type HeavyCaller, type HeavyLane } from "../ports/heavy.ts";
import type { Local } from "../ports/local.ts";

/** Maximum number of waiting requests, and of one caller's, including its running one. */
const MOST_WAITING = 8;
const MOST_OF_CALLER = 4;
const RETRY_AFTER_SECONDS = 5;

interface WaitingTurn {
  readonly actor: string;
  readonly start: () => void;
}

/** Runs one calculation at a time in this process, and alternates between callers. */
export function createHeavyLane(): HeavyLane {
  const waiting: WaitingTurn[] = [];
  let running: string | undefined;

  function startNext(before: string | undefined): void {
    const other = waiting.findIndex(({ actor }) => actor !== before);
    const [next] = waiting.splice(Math.max(0, other), 1);
    running = next?.actor;
    next?.start();
  }

  const turn = ({ actor, signal }: HeavyCaller): Promise<void> =>
    new Promise((start, reject) => {
      const own: WaitingTurn = { actor, start };
      waiting.push(own);
      signal?.addEventListener("abort", () => {
        const index = waiting.indexOf(own);
        if (index < 0) return;
        waiting.splice(index, 1);
        reject(canceledRequest());
      });
      if (running === undefined) startNext(undefined);
    });

  return {
    async run(caller, act) {
      const { actor, signal } = caller;
      const ofCaller =
        waiting.filter((waitingTurn) => waitingTurn.actor === actor).length + (running === actor ? 1 : 0);
      if (waiting.length >= MOST_WAITING || ofCaller >= MOST_OF_CALLER) throw fullLane();
      if (signal?.aborted) throw canceledRequest();
      await turn(caller);
      try {
        return await act({ renew: () => undefined, share: () => 1 });
      } finally {
        startNext(actor);
      }
    },
  };
}

/** A canceled invocation of a Worker runs no more code: its slot is free after this time. */
const UNRENEWED: Millis = 10 * SECOND;

/** Runs one calculation at a time per caller, for a platform on which requests cannot wake each other. */
export function createCallerLane({ monotonic }: Pick<Local, "monotonic">): HeavyLane {
  const ends = new Map<string, Millis>();
  return {
    async run({ actor }, act) {
      if ((ends.get(actor) ?? Number.NEGATIVE_INFINITY) > monotonic()) throw fullLane();
      const renew = () => void ends.set(actor, monotonic() + UNRENEWED);
      const isActive = (end: Millis) => end > monotonic();
      const share = () => 1 / Math.max(1, [...ends.values()].filter(isActive).length);
      renew();
      try {
        return await act({ renew, share });
      } finally {
        ends.delete(actor);
      }
    },
  };
}

const fullLane = () =>
  new AppError("Too many requests", `too many calculations at once; try again in ${RETRY_AFTER_SECONDS} s`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
