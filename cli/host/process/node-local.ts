import { randomFillSync } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Local } from "../../../src/ports/local.ts";

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

export const nodeLocal: Local = {
  name: `${hostname()}:${process.pid}`,
  monotonic: () => performance.now(),
  randomText,
  sleep: (millis) => sleep(millis),
};

/** Filled at once for many: the kernel is asked for 4 KiB as quickly as for one byte. */
const RANDOM_BYTES = new Uint8Array(4096);
/** The largest multiple of the digits' number in a byte: above it some digits would come more often. */
const FAIR = 252;
let chanceUsed = RANDOM_BYTES.length;

function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    if (chanceUsed === RANDOM_BYTES.length) {
      randomFillSync(RANDOM_BYTES);
      chanceUsed = 0;
    }
    const byte = RANDOM_BYTES[chanceUsed] as number;
    // Used once, kept by nobody.
    RANDOM_BYTES[chanceUsed++] = 0;
    if (byte < FAIR) text += DIGITS[byte % DIGITS.length];
  }
  return text;
}
