import type { Local } from "../../src/ports/within-time.ts";

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** A clock that only moves when told, and chance from a seed. Sleeping moves the clock. */
export function virtualLocal(start: number, seed = 1) {
  let now = start;
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x100000000;
  };
  const local: Local = {
    name: "test",
    monotonic: () => now,
    randomText: (length) => Array.from({ length }, () => DIGITS[Math.floor(next() * 36)]).join(""),
    sleep: async (millis) => {
      now += millis;
    },
  };
  return { local, now: () => now, pass: (millis: number) => (now += millis) };
}
