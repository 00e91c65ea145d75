import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { inspect } from "node:util";
import { root } from "./bundle.ts";
import { canary } from "./canary.ts";
import { heard } from "./heard.ts";

export const launcher = join(root, "cli/edgemaker.cjs");

/** Only what a command needs of this machine: no setting of the developer's own. */
export const environment = (folder: string, over: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? "",
  HOME: folder,
  XDG_DATA_HOME: join(folder, "data"),
  XDG_CONFIG_HOME: join(folder, "config"),
  NO_COLOR: "1",
  ...over,
});

/** A server that may not listen yet. */
export interface Spawned {
  /** Of an administrator. */
  readonly token: string;
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Its address, as soon as it listens; undefined when it ended before. */
  readonly listens: Promise<string | undefined>;
  ask(path: string, init?: RequestInit): Promise<Response>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

const TOKEN = `em_${canary("server")}`;

/** Starts `edgemaker serve …` on a free port. */
export function spawnServer(
  folder: string,
  args: readonly string[],
  over: Record<string, string> = {},
  [program, ...first]: readonly [string, ...string[]] = [process.execPath],
  host?: string,
): Spawned {
  const env = environment(folder, { EDGEMAKER_TOKEN: TOKEN, ...over });
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const hosts = host === undefined ? [] : ["--host", host];
  const child = spawn(program, [...first, launcher, "serve", ...port, ...hosts, ...args], {
    env,
    cwd: folder,
  });
  let [stdout, stderr] = ["", ""];
  child.stderr.on("data", (part) => (stderr += String(part)));
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const listens = new Promise<string | undefined>((resolve) => {
    child.stdout.on("data", (part) => {
      stdout += String(part);
      const found = /at (http:\S+)\s/.exec(stdout)?.[1];
      if (found) resolve(found);
    });
    child.on("close", () => resolve(undefined));
  });
  return {
    token: TOKEN,
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    listens,
    async ask(path, init = {}) {
      const headers = {
        authorization: `Bearer ${TOKEN}`,
        "content-type": "application/json",
        ...init.headers,
      };
      return heard(path, await fetch(`${await listens}${path}`, { ...init, headers }));
    },
    async kill(signal) {
      child.kill(signal);
      await closed;
    },
  };
}

/** Asks again until it holds, for as long as a slow machine may need; what it last was is the error. */
export async function eventually<T>(
  read: () => Promise<T>,
  holds: (value: T) => boolean,
  wait: number | { readonly millis: number; readonly every: number } = 240_000,
): Promise<T> {
  const { millis, every } = typeof wait === "number" ? { millis: wait, every: 50 } : wait;
  const until = performance.now() + millis;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (performance.now() > until)
      throw new Error(`not within ${millis} ms; last: ${inspect(value, { depth: 6 })}`);
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}
