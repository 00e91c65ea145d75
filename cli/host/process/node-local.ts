import { randomFillSync } from "node:crypto";
import { hostname } from "node:os";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { createRandomText } from "../../../src/kernel/random.ts";
import type { Local } from "../../../src/ports/within-time.ts";

export const nodeLocal: Local = {
  name: `${hostname()}:${process.pid}`,
  // `performance` would load all of Node's measurement code.
  monotonic: () => process.uptime() * 1000,
  randomText: createRandomText(randomFillSync),
  sleep: (millis) => sleep(millis),
  heard: () => setImmediate(),
};
