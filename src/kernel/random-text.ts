const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
/** The largest multiple of the digits' number in a byte: above it some digits would come more often. */
const FAIR = 252;
/** Filled at once for many: an operating system is asked for so many as quickly as for one. */
const BYTES = 4096;

/** Texts of so many of [0-9a-z], each as likely, from bytes that `fill` draws: fit for secrets where those are. */
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
      // Used once, kept by nobody.
      bytes[used++] = 0;
      if (byte < FAIR) text += DIGITS[byte % DIGITS.length];
    }
    return text;
  };
}
