import type { Millis } from "../../../kernel/time.ts";

/** The account's lease in this process, taken by a pass or by a person's call. */
export interface AccountLease {
  /** Whether a request that leaves now will end before the lease can belong to another process. */
  readonly inTime: () => boolean;
  /** Calls of people that run under it. */
  readonly riders: Set<Promise<unknown>>;
  /** Its holder makes no further call, so no new call can use it. */
  isClosing: boolean;
}

/** Queues one account's private calls in this process: one at a time, those of people first. */
export function createLine() {
  const people: (() => void)[] = [];
  const passes: (() => void)[] = [];
  let isBusy = false;

  return {
    lease: undefined as AccountLease | undefined,
    /** A person's call that requests the lease; other calls wait for the result. */
    taking: undefined as Promise<AccountLease | undefined> | undefined,
    /** Nonces for the lease's holder and for calls under its lease. */
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

export const leaseUntil = (monotonic: () => Millis, last: Millis): AccountLease => ({
  inTime: () => monotonic() <= last,
  riders: new Set(),
  isClosing: false,
});

export const isUsable = (lease: AccountLease | undefined): lease is AccountLease =>
  lease !== undefined && !lease.isClosing && lease.inTime();
