import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { environment, eventually, launcher, type Spawned, spawnServer } from "./server.ts";

export { environment, eventually, launcher } from "./server.ts";

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `edgemaker …` to its end, in a home of its own. */
export const edgemaker = (
  folder: string,
  args: readonly string[],
  over: Record<string, string> = {},
  input?: string,
): Promise<Ran> => ran(folder, [launcher, ...args], over, input);

/** The same, with lines on its standard input. */
export const piped = (
  folder: string,
  args: readonly string[],
  lines: readonly string[],
  over: Record<string, string> = {},
): Promise<Ran> => ran(folder, [launcher, ...args], over, `${lines.join("\n")}\n`);

/**
 * What becomes of each of many command lines, run one after the other in one process and one home: most of what a short
 * command takes is its start. For those that end without having opened anything.
 */
export async function together(
  folder: string,
  lines: readonly { readonly args: readonly string[]; readonly cwd?: string }[],
): Promise<readonly Ran[]> {
  const { code, stdout, stderr } = await ran(folder, [TOGETHER], {}, JSON.stringify(lines));
  if (code !== 0) throw new Error(`command lines in one process ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

const TOGETHER = fileURLToPath(new URL("together.mjs", import.meta.url));

function ran(
  folder: string,
  args: readonly string[],
  over: Record<string, string>,
  input?: string,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env: environment(folder, over), cwd: folder });
    if (input !== undefined) child.stdin.end(input);
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

/** Runs passes until the grid has its orders: on a busy machine its start leaves some to later passes. */
export async function placed(folder: string): Promise<void> {
  const phase = async () => {
    const { stdout } = await edgemaker(folder, ["grid", "status", "--sandbox", "--json"]);
    const [grid] = (JSON.parse(stdout) as { strategies: { phase: string }[] }).strategies;
    if (grid?.phase === "placing") await edgemaker(folder, ["tick", "--sandbox"]);
    return grid?.phase;
  };
  await eventually(phase, (now) => now === "active");
}
