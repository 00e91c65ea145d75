import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { root } from "./bundle.ts";

export const launcher = join(root, "cli/edgemaker.mjs");

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Only what a command needs of this machine: no setting of the developer's own. */
export const environment = (folder: string, over: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? "",
  HOME: folder,
  XDG_DATA_HOME: join(folder, "data"),
  XDG_CONFIG_HOME: join(folder, "config"),
  NO_COLOR: "1",
  ...over,
});

/** Runs `edgemaker …` to its end, in a home of its own. */
export function edgemaker(
  folder: string,
  args: readonly string[],
  over: Record<string, string> = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [launcher, ...args], {
      env: environment(folder, over),
      cwd: folder,
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (part) => (stdout += String(part)));
    child.stderr.on("data", (part) => (stderr += String(part)));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

export interface Server {
  readonly url: string;
  /** Of an administrator. */
  readonly token: string;
  readonly child: ChildProcess;
  readonly stderr: () => string;
  ask(path: string, init?: RequestInit): Promise<Response>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

const TOKEN = "em_token-of-a-server-test";

/** Starts `edgemaker serve …` for one test. */
export async function serve(...of: Parameters<typeof serveProcess>): Promise<Server> {
  const server = await serveProcess(...of);
  onTestFinished(() => server.kill("SIGKILL"));
  return server;
}

/** Starts `edgemaker serve …` on a free port and waits until it is ready; whoever starts it kills it. */
export async function serveProcess(
  folder: string,
  args: readonly string[],
  over: Record<string, string> = {},
): Promise<Server> {
  const env = environment(folder, { EDGEMAKER_TOKEN: TOKEN, ...over });
  const child = spawn(process.execPath, [launcher, "serve", "--port", "0", "--host", "127.0.0.1", ...args], {
    env,
    cwd: folder,
  });
  let stderr = "";
  child.stderr.on("data", (part) => (stderr += String(part)));
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await closed;
  };
  const url = await new Promise<string>((resolve, reject) => {
    let stdout = "";
    child.stdout.on("data", (part) => {
      stdout += String(part);
      const found = /at (http:\S+)/.exec(stdout)?.[1];
      if (found) resolve(found);
    });
    child.on("close", (code) => reject(new Error(`serve ended with ${code}: ${stderr}`)));
  });
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...init.headers },
    });
  return { url, token: TOKEN, child, stderr: () => stderr, ask, kill };
}

/** Asks again until it holds; what it last was is the error. */
export async function eventually<T>(
  read: () => Promise<T>,
  holds: (value: T) => boolean,
  millis: number,
): Promise<T> {
  const until = performance.now() + millis;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (performance.now() > until) throw new Error(`not within ${millis} ms; last: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
