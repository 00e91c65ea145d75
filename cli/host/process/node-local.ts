import { randomInt } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Local } from "../../../src/ports/local.ts";

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

export const nodeLocal: Local = {
  name: `${hostname()}:${process.pid}`,
  monotonic: () => performance.now(),
  randomText: (length) => Array.from({ length }, () => DIGITS[randomInt(DIGITS.length)]).join(""),
  sleep: (millis) => sleep(millis),
};
