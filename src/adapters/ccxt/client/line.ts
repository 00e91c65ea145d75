import type { Millis } from "../../../kernel/time.ts";

/** The account's lease as this process holds it: a pass's, or one that a person's call has taken. */
export interface HeldLease {
  /** A request that leaves now has ended before the lease could be another's. */
  readonly inTime: () => boolean;
  /** Calls of people that go under it. */
  readonly riders: Set<Promise<unknown>>;
  /** Its holder makes no further call, so nobody new goes under it. */
  isClosing: boolean;
}

/** One account's private calls in this process: one at a time, those of people before those of a pass. */
export function createLine() {
  const people: (() => void)[] = [];
  const passes: (() => void)[] = [];
  let isBusy = false;

  return {
    held: undefined as HeldLease | undefined,
    /** A person's call that asks for the lease; others wait for what comes of it. */
    taking: undefined as Promise<HeldLease | undefined> | undefined,
    /** Nonces of the lease's holder, and of whoever goes under it. */
    nonces: { next: 0, left: 0 },

    async run<T>(who: "person" | "pass", work: () => Promise<T>): Promise<T> {
      const mine = who === "person" ? people : passes;
      if (isBusy) await new Promise<void>((go) => mine.push(go));
      isBusy = true;
      try {
        return await work();
      } finally {
        const next = people.shift() ?? passes.shift();
        if (next) next();
        else isBusy = false;
      }
    },
  };
}

export type AccountLine = ReturnType<typeof createLine>;

export const heldUntil = (monotonic: () => Millis, last: Millis): HeldLease => ({
  inTime: () => monotonic() <= last,
  riders: new Set(),
  isClosing: false,
});

export const isUsable = (held: HeldLease | undefined): held is HeldLease =>
  held !== undefined && !held.isClosing && held.inTime();
