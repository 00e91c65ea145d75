/**
 * Loaded before the program in every process of the week: its time, that of its database and its long timers run on
 * the clock of the story, which stands still until the story moves it. Nothing else of the program is touched.
 */
import { openSync, readSync, renameSync, writeFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

const file = openSync(process.env.STORY_CLOCK, "r");
const digits = Buffer.alloc(13);

function now() {
  readSync(file, digits, 0, digits.length, 0);
  return Number(digits.toString());
}

const MachineDate = Date;
globalThis.Date = class extends MachineDate {
  constructor(...of) {
    super(...(of.length === 0 ? [now()] : of));
  }
  static now = now;
};
Object.defineProperty(performance, "now", { value: now });
process.uptime = () => now() / 1000;

// SQLite's own clock has whole seconds of the story: it is asked for in one way only, and anew each time that a
// statement runs, also of one that the program keeps. libSQL's JavaScript reads the native functions when it loads.
const CLOCK = "unixepoch('subsec')";
const require = createRequire(import.meta.url);
require("libsql");
const { exports: native } = Object.values(require.cache).find(({ filename }) => filename.endsWith(".node"));
const { databasePrepareSync: prepare } = native;
/** How those that ask for the time are made, and what they were set to since. */
const timed = new WeakMap();
native.databasePrepareSync = function (text) {
  const made = () => prepare.call(this, text.replaceAll(CLOCK, String(now() / 1000)));
  const statement = made();
  if (text.includes(CLOCK)) timed.set(statement, { made, set: [] });
  return statement;
};
for (const name of ["statementRaw", "statementSafeIntegers"]) {
  const setting = native[name];
  native[name] = function (...values) {
    timed.get(this)?.set.push((statement) => setting.apply(statement, values));
    return setting.apply(this, values);
  };
}
function anew({ made, set }) {
  const statement = made();
  for (const setting of set) setting(statement);
  return statement;
}
for (const name of ["statementRun", "statementGet", "statementRowsSync"]) {
  const running = native[name];
  native[name] = function (...values) {
    const one = timed.get(this);
    return running.apply(one ? anew(one) : this, values);
  };
}
delete require.cache[require.resolve("libsql")];

// What is written down is as wide as a page of the site, and not as a file.
process.stdout.columns = 78;

/** Shorter waits are between two looks of one round, and those of this machine. */
const LONG = 1000;
const MAX_ROUND_MS = 5000;
const LOOKS_EVERY = 5;

const { setTimeout: machineTimeout, setInterval: machineInterval } = globalThis;
const waiting = new Set();
const looking = machineInterval(() => {
  const at = now();
  // In the order in which they are due, so that a story has one course.
  const due = [...waiting].filter((one) => one.due <= at).sort((a, b) => a.due - b.due);
  for (const one of due) {
    if (!waiting.delete(one)) continue;
    tellRounds();
    one.act();
  }
}, LOOKS_EVERY);
looking.unref();

/** When the rounds of this process come next, none of those under way, and how much it has printed. */
function tellRounds() {
  const file = process.env.STORY_ROUNDS;
  if (!file) return;
  const dues = [...waiting].filter(({ isRound }) => isRound).map(({ due }) => due);
  writeFileSync(`${file}.new`, JSON.stringify({ dues, printed: process.stdout.bytesWritten }));
  renameSync(`${file}.new`, file);
}

/** Keeps its process alive as any timer does, until it has fired or is cleared. */
class StoryTimer {
  constructor(millis, act) {
    this.millis = millis;
    this.due = now() + millis;
    this.alive = machineInterval(() => undefined, 1_000_000);
    this.act = () => {
      clearInterval(this.alive);
      act();
    };
    waiting.add(this);
  }
  /** What keeps nobody, and is not long, waits between two rounds. */
  unref() {
    this.alive.unref();
    this.isRound = this.millis <= MAX_ROUND_MS;
    tellRounds();
    return this;
  }
}

globalThis.setTimeout = (act, millis = 0, ...of) =>
  millis >= LONG ? new StoryTimer(millis, () => act(...of)) : machineTimeout(act, millis, ...of);
const { clearTimeout: machineClear } = globalThis;
globalThis.clearTimeout = (timer) => {
  if (!(timer instanceof StoryTimer)) return machineClear(timer);
  waiting.delete(timer);
  clearInterval(timer.alive);
};
const { setTimeout: machineSleep } = timers;
timers.setTimeout = (millis, value, options) =>
  millis >= LONG
    ? new Promise((resolve) => {
        const timer = setTimeout(resolve, millis, value);
        if (options?.ref === false) timer.unref();
      })
    : machineSleep(millis, value, options);
syncBuiltinESMExports();
