import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { environment, launcher, type Spawned, spawnServer } from "./server.ts";

export { environment, eventually, launcher } from "./server.ts";

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

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

export type Server = Spawned & { readonly url: string };

/** Starts `edgemaker serve …` for one test. */
export async function serve(...of: Parameters<typeof serveProcess>): Promise<Server> {
  const server = await serveProcess(...of);
  onTestFinished(() => server.kill("SIGKILL"));
  return server;
}

/** Starts `edgemaker serve …` and waits until it is ready; whoever starts it kills it. */
export async function serveProcess(...of: Parameters<typeof spawnServer>): Promise<Server> {
  const server = spawnServer(...of);
  const url = await server.listens;
  if (url === undefined) throw new Error(`serve ended with ${server.child.exitCode}: ${server.stderr()}`);
  return { ...server, url };
}
