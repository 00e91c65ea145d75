/**
 * Returns 32-bit random numbers from a seed: xoshiro128** of Blackman and Vigna, "Scrambled Linear Pseudorandom
 * Number Generators" (2021), its state filled by splitmix32, so similar seeds give unrelated numbers. Not for
 * secrets.
 */
export function createRandom(seed: number): () => number {
  let last = seed >>> 0;
  const next = (): number => {
    last = (last + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(last ^ (last >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  return xoshiro([next(), next(), next(), next()]);
}

/** The generator, from a state that is not all zero. */
export function xoshiro([a, b, c, d]: readonly [number, number, number, number]): () => number {
  return () => {
    const drawn = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotated(d, 11);
    return drawn;
  };
}

const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/** Shuffles values by a seed; every order is equally likely. */
export function shuffled<T>(values: readonly T[], seed: number): T[] {
  const draw = createRandom(seed);
  const all = [...values];
  for (let left = all.length; left > 1; left--) {
    const index = Math.floor((draw() / 2 ** 32) * left);
    [all[left - 1], all[index]] = [all[index] as T, all[left - 1] as T];
  }
  return all;
}

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
/** The largest multiple of the alphabet's size in a byte; higher bytes would make some characters more frequent. */
const FAIR = 252;
/** Number of random bytes drawn at once, which takes no longer than drawing one. */
const BYTES = 4096;

/** Returns random texts of [0-9a-z], each character equally likely. They are secure if the bytes of `fill` are. */
export function createRandomText(fill: (bytes: Uint8Array<ArrayBuffer>) => unknown) {
  const bytes = new Uint8Array(BYTES);
  let used = BYTES;
  return (length: number): string => {
    let text = "";
    while (text.length < length) {
      if (used === BYTES) {
        fill(bytes);
        used = 0;
      }
      const byte = bytes[used] as number;
      // Each byte is used once and then erased.
      bytes[used++] = 0;
      if (byte < FAIR) text += DIGITS[byte % DIGITS.length];
    }
    return text;
  };
}
