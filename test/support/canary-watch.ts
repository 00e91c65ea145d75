/**
 * In every test's process: looks through what is printed, what child processes print, and what is written to a
 * database in memory. Answers of servers, calls of adapters and files are looked at where the tests meet them:
 * heard.ts and temp.ts. Ends the test that showed a secret as failed.
 */
import { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { Sqlite3Client } from "@libsql/client/sqlite3";
import { afterAll, afterEach } from "vitest";
import { lookAt, looking, takeLeaks } from "./canary.ts";
import { heardAll } from "./heard.ts";

/** Has `before` hear what a method is called with. */
function listen<T extends object>(on: T, name: keyof T, before: (...args: unknown[]) => void): void {
  const method = on[name] as (...args: unknown[]) => unknown;
  on[name] = function (this: unknown, ...args: unknown[]) {
    before(...args);
    return method.apply(this, args);
  } as T[keyof T];
}

function watch(): void {
  for (const name of ["stdout", "stderr"] as const)
    listen(process[name], "write", looking(`the tests' own ${name}`));
  for (const name of ["debug", "error", "info", "log", "warn"] as const)
    listen(console, name, (...results) => lookAt(`console.${name}`, results));

  for (const name of ["execute", "batch"] as const)
    listen(Sqlite3Client.prototype, name, (...written) => lookAt("a row", written));

  // Every way to start a process goes through this method; what it then prints is heard without being taken away.
  const children = ChildProcess.prototype as unknown as { spawn(...of: unknown[]): unknown };
  const spawn = children.spawn;
  children.spawn = function (this: ChildProcess, ...of) {
    const started = spawn.apply(this, of);
    for (const name of ["stdout", "stderr"] as const)
      if (this[name])
        listen(this[name] as Readable, "push", looking(`${name} of ${this.spawnargs.join(" ")}`));
    return started;
  };
}

// Files that share a process (vitest.config.ts) share its watch.
const WATCHED = Symbol.for("edgemaker tests are watched");
const here = globalThis as { [WATCHED]?: true };
if (!here[WATCHED]) watch();
here[WATCHED] = true;

const check = async () => {
  await heardAll();
  const leaks = takeLeaks();
  if (leaks.length > 0) throw new Error(`a secret was shown:\n${leaks.join("\n")}`);
};
afterEach(check);
afterAll(check);
