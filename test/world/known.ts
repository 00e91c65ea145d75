/** `nearer` is a state that was reached before, after more waits than now. */
export type Met = "new" | "nearer" | "known";

/** States that were walked, each by its number: whole, below 2^52. */
export interface Known {
  /** Waits: after how many of them it is reached now, below 2,048; nought where nothing depends on it. */
  readonly meet: (key: number, waits: number) => Met;
}

export function knownHere(): Known {
  const least = new Map<number, number>();
  return {
    meet(key, waits) {
      const before = least.get(key);
      if (before !== undefined && before <= waits) return "known";
      least.set(key, waits);
      return before === undefined ? "new" : "nearer";
    },
  };
}

/** What threads share that walk one world together. */
export interface Shared {
  readonly keys: SharedArrayBuffer;
  /** How many works of the last level were taken, and whether a thread has found something. */
  readonly marks: SharedArrayBuffer;
}

const ROOM = 2 ** 24;
/** So many that are taken in a row are a table that is full. */
const MAX_SLOT_TRIES = 10_000;

export const sharedKnown = (room = ROOM): Shared => ({
  keys: new SharedArrayBuffer(8 * room),
  marks: new SharedArrayBuffer(8),
});

/** Where in an entry its number ends, and the waits begin. */
const KEY_BITS = 52n;
const KEY = (1n << KEY_BITS) - 1n;

/** A table of keys in which threads meet: each key is new to one of them. */
export function knownTogether({ keys }: Shared): Known {
  const table = new BigInt64Array(keys);
  return {
    meet(key, waits) {
      // Nought is a place that is free: waits count from one.
      const mine = (BigInt(waits + 1) << KEY_BITS) | BigInt(key);
      for (let tries = 0; tries < MAX_SLOT_TRIES; tries++) {
        const place = (key + tries) % table.length;
        let there = Atomics.load(table, place) || Atomics.compareExchange(table, place, 0n, mine);
        if (there === 0n) return "new";
        if ((there & KEY) !== BigInt(key)) continue;
        while (there > mine) {
          const observed = Atomics.compareExchange(table, place, there, mine);
          if (observed === there) return "nearer";
          there = observed;
        }
        return "known";
      }
      throw new Error(`more than ${table.length} states: there is no room for them`);
    },
  };
}

/** One of some threads that walk one world. */
export interface Turns {
  /** The next work that no other thread has taken, from 0 on. */
  readonly take: () => number;
  readonly tellFound: () => void;
  readonly isFound: () => boolean;
}

export function turnsOf({ marks }: Shared): Turns {
  const [CLAIMED, FOUND] = [0, 1] as const;
  const counts = new Int32Array(marks);
  return {
    take: () => Atomics.add(counts, CLAIMED, 1),
    tellFound: () => void Atomics.store(counts, FOUND, 1),
    isFound: () => Atomics.load(counts, FOUND) > 0,
  };
}
