/** States that were walked, each by its number: whole, below 2^52. */
export interface Known {
  /** False where it was known before. */
  readonly add: (key: number) => boolean;
}

export function knownHere(): Known {
  const keys = new Set<number>();
  return {
    add(key) {
      if (keys.has(key)) return false;
      keys.add(key);
      return true;
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
const MOST_TRIES = 10_000;

export const sharedKnown = (room = ROOM): Shared => ({
  keys: new SharedArrayBuffer(8 * room),
  marks: new SharedArrayBuffer(8),
});

/** A table of keys in which threads meet: each key is new to one of them. */
export function knownTogether({ keys }: Shared): Known {
  const table = new BigInt64Array(keys);
  return {
    add(key) {
      // Nought is a place that is free.
      const value = BigInt(key) + 1n;
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const place = (key + tries) % table.length;
        const there = Atomics.load(table, place) || Atomics.compareExchange(table, place, 0n, value);
        if (there === 0n) return true;
        if (there === value) return false;
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
  const [TAKEN, FOUND] = [0, 1] as const;
  const counts = new Int32Array(marks);
  return {
    take: () => Atomics.add(counts, TAKEN, 1),
    tellFound: () => void Atomics.store(counts, FOUND, 1),
    isFound: () => Atomics.load(counts, FOUND) > 0,
  };
}
