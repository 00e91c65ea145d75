import type { Timer } from "../../src/ports/within-time.ts";
import type { Fault } from "./faults.ts";
import type { Scheduler } from "./scheduler.ts";

/** A process of the service: its death ends its tasks where they are. */
export interface Process {
  readonly id: number;
  isAlive: boolean;
  /** Its monotonic clock began here. */
  readonly bornAt: number;
  /** It runs the next version of the program. */
  readonly isNewer?: boolean;
  /** It has turned the kill switch on itself. */
  hasKilled?: boolean;
  /** Its store and its reads take no time, so that a flow which waits for one thing may go on with others. */
  readonly isEven?: boolean;
}

/** One flow of a process: it runs until it waits for the world, and goes on when the world answers. */
export interface Task {
  readonly process: Process;
  /** Told of each fault that befalls one of its calls. */
  readonly befallen?: (fault: Fault) => void;
  /** Called when the flow waits or ends. */
  signal: () => void;
  /** Waits that are not over: a flow may have several at once. */
  waits: number;
  /** Its flow has ended. A wait can outlast it, such as a write after its time limit. */
  isEnded: boolean;
}

/** Starts a flow and lets it run to its first wait. */
export function startTask(
  process: Process,
  flow: (task: Task) => Promise<void>,
  befallen?: (fault: Fault) => void,
): Promise<void> {
  const task: Task = {
    process,
    signal: () => undefined,
    waits: 0,
    isEnded: false,
    ...(befallen && { befallen }),
  };
  return untilItWaits(task, () => {
    void flow(task).finally(() => {
      task.isEnded = true;
      task.signal();
    });
  });
}

async function untilItWaits(task: Task, go: () => void): Promise<void> {
  const waits = new Promise<void>((resolve) => {
    task.signal = resolve;
  });
  go();
  // A flow that waits for something else as well may neither wait anew nor end: it has run when the event loop turns.
  await (task.waits > 0 || task.isEnded ? new Promise(setImmediate) : waits);
  if (task.process.isEven) await new Promise(setImmediate);
  // Flows that were started side by side each reach their own wait.
  await null;
  await null;
}

/** A wait of a task: what it waits for is answered by an event, unless its process has died by then. */
export interface Wait<T> {
  readonly promise: Promise<T>;
  answer(value: T): Promise<void> | undefined;
  fail(error: unknown): Promise<void> | undefined;
  isOver(): boolean;
  /** Ends it without an answer. */
  drop(): void;
}

export function waitOf<T>(task: Task): Wait<T> {
  let [resolve, reject] = [(_value: T) => {}, (_error: unknown) => {}];
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  let isOver = false;
  const once = (go: () => void): Promise<void> | undefined => {
    if (isOver || !task.process.isAlive) return undefined;
    isOver = true;
    task.waits--;
    return untilItWaits(task, go);
  };
  task.waits++;
  task.signal();
  return {
    promise,
    isOver: () => isOver || !task.process.isAlive,
    answer: (value) => once(() => resolve(value)),
    fail: (error) => once(() => reject(error)),
    drop() {
      if (!isOver) task.waits--;
      isOver = true;
    },
  };
}

/** Lets a task sleep. */
export function sleep(scheduler: Scheduler, task: Task, millis: number): Promise<void> {
  const wait = waitOf<void>(task);
  scheduler.at(scheduler.now() + millis, () => wait.answer(undefined));
  return wait.promise;
}

/** Sets a time limit of a task in virtual time. */
export const timerOf =
  (scheduler: Scheduler, task: Task): Timer =>
  (millis, run) => {
    const wait = waitOf<void>(task);
    void wait.promise.then(run);
    scheduler.quietly(scheduler.now() + millis, () => wait.answer(undefined), wait.isOver);
    return wait.drop;
  };
