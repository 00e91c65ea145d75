import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Millis } from "../../src/kernel/time.ts";
import { root } from "../support/bundle.ts";

/** The clock of a story, which every process of it reads (clock.mjs), and which stands still until it is moved. */
export function storyClock(folder: string, start: Millis) {
  const file = join(folder, "clock");
  const open = openSync(file, "w");
  let now = start;
  const set = (to: Millis) => {
    now = to;
    writeSync(open, String(now), 0);
  };
  set(start);
  return {
    now: (): Millis => now,
    pass: (millis: Millis): void => set(now + millis),
    set,
    settings: {
      STORY_CLOCK: file,
      NODE_OPTIONS: `--import ${pathToFileURL(join(root, "test/week/clock.mjs")).href}`,
    },
    close: () => closeSync(open),
  };
}
