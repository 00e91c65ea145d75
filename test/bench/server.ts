import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { bundleScript } from "../support/bundle.ts";
import { cpuMillis } from "../support/workerds.ts";
import { type Figure, RUNS, repeat } from "./figure.ts";
import { startServer } from "./started.ts";

const LAUNCHER = "cli/edgemaker.cjs";

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  /** Of processor time, from the start of the process to its first answer. */
  readonly millis: number;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Starts `edgemaker serve --sandbox` of a package, in a new home unless one is given, and waits for its first answer. Ports are ones that no
 * outgoing connection is given: asked for before it is there, a port may be given to whoever asks.
 */
export async function start(
  port: number,
  folder = process.cwd(),
  home = mkdtempSync(join(tmpdir(), "edgemaker-bench-")),
): Promise<Started> {
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const child = spawn(
    process.execPath,
    [join(folder, LAUNCHER), "serve", "--sandbox", "--port", String(port), "--host", "127.0.0.1"],
    { env, stdio: ["ignore", "ignore", "inherit"] },
  );
  while (!(await answers(port))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the server ended with ${child.exitCode ?? child.signalCode} before it answered`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const millis = cpuMillis(child.pid ?? 0);
  const stop = async (signal: NodeJS.Signals = "SIGKILL") => {
    const closed = new Promise((resolve) => child.on("close", resolve));
    child.kill(signal);
    await closed;
    rmSync(home, { recursive: true, force: true });
  };
  return { child, port, millis, stop };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const query = request({ host: "127.0.0.1", port, path: "/health" }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    query.on("error", () => resolve(false));
    query.end();
  });

/** Resident memory in MB, a second after the start. */
async function residentAfterStart({ child }: Started): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Answers per second at 50 connections, the generator on the same machine. */
export async function throughput(port: number, path: string, seconds = 2): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const until = performance.now() + seconds * 1000;
  let count = 0;
  const worker = async () => {
    while (performance.now() < until) {
      await new Promise<void>((resolve, reject) => {
        const query = request({ host: "127.0.0.1", port, path, agent }, (response) => {
          response.resume();
          response.on("end", resolve);
        });
        query.on("error", reject);
        query.end();
      });
      count++;
    }
  };
  await Promise.all(Array.from({ length: 50 }, worker));
  agent.destroy();
  return count / seconds;
}

/** What Node takes before it runs anything: no start can take less, on this machine and at this hour. */
async function bareStart(): Promise<number> {
  const child = spawn(process.execPath, ["-e", "console.log(); setInterval(() => undefined, 60_000)"], {
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const millis = cpuMillis(child.pid ?? 0);
  child.kill("SIGKILL");
  return millis;
}

/** What Hono alone takes from its start to its first answer. */
async function honoStart(script: string): Promise<number> {
  const { child, port } = await startServer(script, []);
  if (!(await answers(port))) throw new Error("Hono alone does not answer");
  const millis = cpuMillis(child.pid ?? 0);
  child.kill("SIGKILL");
  return millis;
}

/** What is packed, without sources to look at; its libraries are this checkout's. */
function packed(): string {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-packed-"));
  execFileSync(process.execPath, ["cli/build/pack.mjs", folder], { stdio: "ignore" });
  const [file = ""] = readdirSync(folder);
  execFileSync("tar", ["-xzf", file], { cwd: folder });
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "package/node_modules"));
  return join(folder, "package");
}

export async function serverFigures(): Promise<Figure[]> {
  const starts: number[] = [];
  const packedStarts: number[] = [];
  const bareStarts: number[] = [];
  const honoStarts: number[] = [];
  const hono = await bundleScript("bare-server");
  const memory: number[] = [];
  const folder = packed();
  // Each start but the first finds what was compiled.
  await (await start(29_099)).stop("SIGTERM");
  await (await start(29_098, folder)).stop("SIGTERM");
  for (let run = 0; run < RUNS; run++) {
    const started = await start(29_100 + run);
    starts.push(started.millis);
    memory.push(await residentAfterStart(started));
    await started.stop();
    const startedPacked = await start(29_150 + run, folder);
    packedStarts.push(startedPacked.millis);
    bareStarts.push(await bareStart());
    honoStarts.push(await honoStart(hono));
    await startedPacked.stop();
  }
  rmSync(dirname(folder), { recursive: true, force: true });
  const server = await start(29_110);
  const health = await repeat(() => throughput(server.port, "/health"));
  const refused = await repeat(() =>
    throughput(server.port, "/api/v1/orderbook?exchange=kraken&symbol=BTC/USDT&limit=0"),
  );
  await server.stop();
  return [
    { name: "server start to the first 200", unit: "ms of CPU time", runs: starts, goal: "≤ 130" },
    {
      name: "server start to the first 200, from the package",
      unit: "ms of CPU time",
      runs: packedStarts,
      goal: "≤ 130",
    },
    { name: "Hono alone: start to first 200", unit: "ms of CPU time", runs: honoStarts },
    {
      name: "start to first 200 ÷ Hono alone",
      unit: "×",
      runs: starts.map((millis, run) => millis / (honoStarts[run] ?? Number.NaN)),
      goal: "≤ 2.1",
    },
    { name: "an empty Node program", unit: "ms of CPU time", runs: bareStarts },
    { name: "memory after the start", unit: "MB", runs: memory, goal: "≤ 90" },
    { name: "GET /health", unit: "requests/s", runs: health },
    { name: "a 400 response (GET /orderbook with limit=0)", unit: "requests/s", runs: refused },
  ];
}
