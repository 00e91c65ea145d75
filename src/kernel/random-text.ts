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
