import { StoreError, VenueError } from "../../src/kernel/errors.ts";
import type { DensityTally } from "./density.ts";
import type { CallKind, Fault, Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import { sleep, type Task, type Wait, waitOf } from "./task.ts";
import type { Trace } from "./trace.ts";

/** How long one leg of a call takes, and after how long its caller gives up. */
export interface Net {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly faults: Faults;
  readonly trace: Trace;
  readonly tally: DensityTally;
  /** Ends a process where it is. */
  readonly kill: (task: Task) => void;
  /** No process is held up beyond this time. */
  readonly quietAt: number;
  /** Where bounds are played to the bound: how late a request takes effect, and reads are as old as they may be. */
  readonly latest?: number;
  /** Set where nothing goes wrong and nothing is drawn: only writes take time. */
  readonly isEven?: boolean;
  /** What a call draws of its own. In an even run it depends on the call's name and time, and not on the calls before. */
  readonly drawFor: (name: string) => Random;
  readonly isDown: (what: "store" | "venue") => boolean;
  readonly isDownAlone: (name: string) => boolean;
}

const MAX_CALL_DELAY_MS = 180_000;
const MAX_CALL_PAUSE_MS = 400_000;

interface Requested<T> {
  readonly kind: CallKind;
  readonly name: string;
  readonly timeout: number;
  /** Runs when the request arrives; `lag` is how old what it reads may be. */
  readonly effect: (lag: number) => Promise<T>;
  /** Asked when the request leaves; an answer keeps it from leaving. */
  readonly leaves?: () => T | undefined;
  /** What the caller sees when no answer came, or throws. */
  readonly silence: () => T;
  readonly refused: () => T;
  readonly lag: number;
}

/** One call: a request leg, an effect, a response leg, and whatever goes wrong with them. */
export async function call<T>(net: Net, task: Task, request: Requested<T>): Promise<T> {
  if (net.isEven) return evenCall(net, task, request);
  const { scheduler, random, trace } = net;
  const index = trace.nextCall();
  const fault = net.faults({ kind: request.kind, name: request.name, index });
  trace.add(`${index} ${request.name}${fault ? ` ${fault}` : ""}`);
  if (fault) {
    net.tally.add(request.kind, fault);
    task.befallen?.(fault);
  }
  if (fault === "crash_before") {
    net.kill(task);
    return waitOf<T>(task).promise;
  }
  if (fault === "pause")
    await sleep(scheduler, task, Math.min(pauseOf(random), Math.max(0, net.quietAt - scheduler.now())));
  const kept = request.leaves?.();
  if (kept !== undefined) return kept;

  const wait = waitOf<T>(task);
  const plan = legs(net, request, fault);
  const leftAt = scheduler.now();
  if (plan.effectAfter !== undefined) {
    scheduler.at(leftAt + plan.effectAfter, async () => {
      if (
        net.isDown(request.kind === "store" ? "store" : "venue") &&
        !(request.kind === "create" && random.chance(0.3))
      )
        return;
      if (request.kind === "read" && net.isDownAlone(request.name)) return;
      const result = await settled(request.effect(plan.lag));
      trace.add(`${index} effect ${"error" in result ? String(result.error) : ""}`);
      if (fault === "crash_after") return net.kill(task);
      if (plan.answerAfter === undefined) return undefined;
      scheduler.at(scheduler.now() + plan.answerAfter, () =>
        "error" in result ? wait.fail(result.error) : wait.answer(result.value),
      );
    });
  }
  if (fault === "refused") scheduler.at(leftAt + 20, () => attempt(wait, request.refused));
  else scheduler.quietly(leftAt + request.timeout, () => attempt(wait, request.silence), wait.isOver);
  return wait.promise;
}

/** Each way of a write in an even run. */
const EVEN_LEG_MS = 20;

/** One call of an even run. Only a write waits, so the number of reads and of calls to the store changes nothing. */
async function evenCall<T>({ scheduler, trace }: Net, task: Task, request: Requested<T>): Promise<T> {
  trace.add(`${trace.nextCall()} ${request.name}`);
  const kept = request.leaves?.();
  if (kept !== undefined) return kept;
  if (request.kind === "store" || request.kind === "read") return request.effect(0);
  const wait = waitOf<T>(task);
  scheduler.at(scheduler.now() + EVEN_LEG_MS, async () => {
    const result = await settled(request.effect(0));
    scheduler.at(scheduler.now() + EVEN_LEG_MS, () =>
      "error" in result ? wait.fail(result.error) : wait.answer(result.value),
    );
  });
  return wait.promise;
}

const pauseOf = (random: Random): number =>
  random.chance(0.5) ? random.whole(100, 10_000) : random.whole(10_000, MAX_CALL_PAUSE_MS);

function legs(
  { random, latest }: Net,
  { kind, lag }: { kind: CallKind; lag: number },
  fault: Fault | undefined,
) {
  const short = () => (kind === "store" ? random.whole(1, 5) : random.whole(10, 60));
  const old = fault === "stale" ? (latest === undefined ? random.whole(0, lag) : lag) : 0;
  switch (fault) {
    case "request_lost":
    case "refused":
      return { lag: 0 };
    case "response_lost":
      return { effectAfter: short(), lag: 0 };
    case "late_effect":
      return { effectAfter: latest || random.whole(1000, MAX_CALL_DELAY_MS), lag: 0 };
    case "slow":
      return { effectAfter: random.whole(1, 12_000), answerAfter: random.whole(1, 12_000), lag: 0 };
    default:
      return { effectAfter: short(), answerAfter: short(), lag: old };
  }
}

const attempt = <T>(wait: Pick<Wait<T>, "answer" | "fail">, answer: () => T): Promise<void> | undefined => {
  try {
    return wait.answer(answer());
  } catch (error) {
    return wait.fail(error);
  }
};

const settled = <T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

export const storeSilence = (): never => {
  throw new StoreError("unavailable", "the database did not answer");
};
export const venueSilence = (): never => {
  throw new VenueError("unavailable", "the venue did not answer");
};
export const venueRefuses = (): never => {
  throw new VenueError("rate_limited", "the venue asks for fewer requests");
};
