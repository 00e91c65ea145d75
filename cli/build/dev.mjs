// Runs the sandbox's server, and restarts it after each change of a source or of your own strategies: npm run dev -- [flags of serve]
import { spawn } from "node:child_process";
import { mkdirSync, watch } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Wait in milliseconds, because an editor writes a file in several steps and a person saves several files. */
const SETTLED = 200;
const SOURCE = /\.(tsx?|css|svg)$/;

const start = () =>
  spawn(process.execPath, [join(root, "cli/edgemaker.cjs"), "serve", "--sandbox", ...process.argv.slice(2)], {
    stdio: "inherit",
  });

function strategiesFolder() {
  const place = process.argv.indexOf("--strategies");
  const given = place < 0 ? undefined : process.argv[place + 1];
  const joined = process.argv.find((word) => word.startsWith("--strategies="));
  return given ?? joined?.slice("--strategies=".length) ?? process.env.EDGEMAKER_STRATEGIES ?? "strategies";
}

let server = start();
let timer;
let isLeaving = false;
let isRestarting = false;

/** Starts after the previous process has ended, so its port and lease are free. The new one reads all changes until then. */
function startAgain() {
  if (isRestarting) return;
  isRestarting = true;
  const before = server;
  const again = () => {
    isRestarting = false;
    if (!isLeaving) server = start();
  };
  if (before.exitCode !== null || before.signalCode !== null) return again();
  before.once("exit", again);
  before.kill("SIGTERM");
}

/** Your own strategies; the folder exists from now on, so a first file is noticed too. */
const strategies = resolve(strategiesFolder());
mkdirSync(strategies, { recursive: true });

for (const folder of [join(root, "src"), join(root, "cli"), strategies])
  watch(folder, { recursive: true }, (_event, name) => {
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
