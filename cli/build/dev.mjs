// Runs the sandbox's server, and restarts it after each change of a source: npm run dev -- [flags of serve]
import { spawn } from "node:child_process";
import { watch } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Wait in milliseconds, because an editor writes a file in several steps and a person saves several files. */
const SETTLED = 200;
const SOURCE = /\.(tsx?|css|svg)$/;

const start = () =>
  spawn(process.execPath, [join(root, "cli/edgemaker.cjs"), "serve", "--sandbox", ...process.argv.slice(2)], {
    stdio: "inherit",
  });

let server = start();
let timer;
let isLeaving = false;

/** Starts after the previous process has ended, so its port and lease are free. */
function startAgain() {
  const before = server;
  const again = () => {
    if (!isLeaving) server = start();
  };
  if (before.exitCode !== null || before.signalCode !== null) return again();
  before.once("exit", again);
  before.kill("SIGTERM");
}

for (const folder of ["src", "cli"])
  watch(join(root, folder), { recursive: true }, (_event, name) => {
    if (name === null || !SOURCE.test(name)) return;
    clearTimeout(timer);
    timer = setTimeout(startAgain, SETTLED);
  });

for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    isLeaving = true;
    server.once("exit", (code) => process.exit(code ?? 0));
    if (server.exitCode !== null) process.exit(server.exitCode);
    // A terminal sends Ctrl-C to both processes; a second one would end the server before it lists its open orders.
    if (signal === "SIGTERM") server.kill(signal);
  });
