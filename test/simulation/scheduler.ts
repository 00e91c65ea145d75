/** What happens at a time: at once, or until all that it sets off waits for something. */
type Run = () => Promise<void> | undefined | void;

/** Virtual time: what happens next is the earliest event, and nothing else runs meanwhile. */
export interface Scheduler {
  now(): number;
  /** Runs something at a time; events of one time run in the order in which they were asked for. */
  at(time: number, run: Run): void;
  /** The same of what comes about in a quiet world too: the next pass, and the end of a wait, unless it is over by then. */
  quietly(time: number, run: Run, isOver?: () => boolean): void;
  /** Events that are still to come, but for those. */
  waiting(): number;
  /** Runs events up to a time, or until `isOver`, calling `after` behind each. */
  runUntil(end: number, after: () => void, isOver?: () => boolean): Promise<void>;
  /** How many events ran. */
  count(): number;
}

interface Event {
  readonly time: number;
  readonly order: number;
  readonly isQuiet: boolean;
  readonly isOver?: (() => boolean) | undefined;
  readonly run: Run;
}

const isBefore = (a: Event, b: Event): boolean => a.time < b.time || (a.time === b.time && a.order < b.order);

export function createScheduler(start: number): Scheduler {
  let now = start;
  let requestCount = 0;
  let ran = 0;
  let waiting = 0;
  const heap: Event[] = [];

  const push = (event: Event) => {
    let place = heap.length;
    heap.push(event);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent] as Event;
      if (!isBefore(event, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = event;
  };
  const pop = (): Event | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return first;
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      const right = child + 1;
      if (right < heap.length && isBefore(heap[right] as Event, heap[child] as Event)) child = right;
      const below = heap[child] as Event;
      if (!isBefore(below, last)) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = last;
    return first;
  };

  return {
    now: () => now,
    count: () => ran,
    waiting: () => waiting,
    at(time, run) {
      waiting++;
      push({ time: Math.max(time, now), order: requestCount++, isQuiet: false, run });
    },
    quietly: (time, run, isOver) =>
      push({ time: Math.max(time, now), order: requestCount++, isQuiet: true, isOver, run }),
    async runUntil(end, after, isOver = () => false) {
      for (let next = heap[0]; next && next.time <= end; next = heap[0]) {
        const event = pop() as Event;
        if (event.isOver?.()) continue;
        if (!event.isQuiet) waiting--;
        now = event.time;
        ran++;
        const running = event.run();
        if (running) await running;
        after();
        if (isOver()) return;
      }
      now = Math.max(now, end);
    },
  };
}
