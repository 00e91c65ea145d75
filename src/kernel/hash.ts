/** A 32-bit hash of text (FNV-1a). Not for secrets. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Mixes a whole number of any sign and size into a 32-bit hash (murmur3's finalizer). */
export function mixHash(hash: number, value: number): number {
  const high = Math.floor(value / 0x100000000);
  let mixed = Math.imul(hash ^ value ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Returns a pseudorandom share in [0, 1) that depends only on its arguments. */
export const pseudorandomShare = (hash: number, value: number): number => mixHash(hash, value) / 0x100000000;

/** Returns 32 hexadecimal digits that stay the same while the value does. */
export function hashDigits(value: unknown): string {
  const output = JSON.stringify(value, (_key, one) => (typeof one === "bigint" ? `${one}` : one));
  let hash = 0;
  const parts = [1, 2, 3, 4].map((part) => {
    hash = mixHash(hashText(`${part}${output}`), hash + part);
    return hash.toString(16).padStart(8, "0");
  });
  return parts.join("");
}
