import { randomFillSync } from "node:crypto";
import { hostname } from "node:os";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { createRandomText } from "../../../src/kernel/random.ts";
import { clockWithSleep } from "../../../src/kernel/sleep-check.ts";
import type { Millis } from "../../../src/kernel/time.ts";
import type { Local } from "../../../src/ports/within-time.ts";

/**
 * Monotonic time of this process. On Linux it stands still while the machine sleeps. `performance` would load all of
 * Node's measurement code.
 */
export const awakeTime = (): Millis => process.uptime() * 1000;

export const nodeLocal: Local = {
  name: `${hostname()}:${process.pid}`,
  monotonic: clockWithSleep(awakeTime, () => Date.now()),
  randomText: createRandomText(randomFillSync),
  sleep: (millis) => sleep(millis),
  heard: () => setImmediate(),
};

/** Returns whether a process of this machine runs, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
