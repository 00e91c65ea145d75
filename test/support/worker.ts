import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { buildWorker, bundle } from "../../cli/build/worker-bundle.mjs";
import { root } from "./bundle.ts";

/** The process that builds. */
const building = join(root, "dist/worker-building");
const MAX_BUILD_MS = 600_000;

/** The file that `wrangler deploy` would upload, built when there is none or a source is newer. */
export async function workerBundle(): Promise<string> {
  // Test files start at once: one of them builds, the others wait for it, however long it takes.
  while (isStale()) {
    if (isAbandoned()) rmSync(building, { recursive: true, force: true });
    if (!isFree()) await new Promise((resolve) => setTimeout(resolve, 100));
    else await buildWorker().finally(() => rmSync(building, { recursive: true, force: true }));
  }
  return bundle;
}

function isFree(): boolean {
  mkdirSync(join(root, "dist"), { recursive: true });
  try {
    writeFileSync(building, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

/** Whoever was building has died, or their number is somebody else's by now. */
function isAbandoned(): boolean {
  try {
    if (Date.now() - statSync(building).mtimeMs > MAX_BUILD_MS) return true;
    process.kill(Number(readFileSync(building, "utf8")), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

function isStale(): boolean {
  if (!existsSync(bundle)) return true;
  const built = statSync(bundle).mtimeMs;
  const sources = ["src", "cli/build"]
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const files = [...sources, join(root, "wrangler.toml"), join(root, "package-lock.json")];
  return files.some((file) => statSync(file).mtimeMs > built);
}

export interface WorkerOptions {
  /** Without the queue of wrangler.toml the cron steps inline. */
  readonly queue?: boolean;
  /** Hears each entry of the worker's log. */
  readonly onLog?: (entry: Readonly<Record<string, unknown>>) => void;
  readonly port?: number;
  /** Another bundle than that of this checkout. */
  readonly path?: string;
  /** Serves the built files, as the platform does. */
  readonly assets?: boolean;
}

/** The built worker in workerd, as wrangler.toml has it deployed, with these settings in place of its secrets. */
export async function startWorker(
  settings: Readonly<Record<string, string>>,
  { queue = true, onLog, port = 0, assets = false, path }: WorkerOptions = {},
): Promise<Miniflare> {
  // Also makes the files that wrangler.toml names.
  const bundled = await workerBundle();
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(root, "wrangler.toml"));
  const { bindings, assets: files, queueProducers, queueConsumers, ...options } = workerOptions;
  const worker = new Miniflare({
    ...options,
    ...(assets ? { assets: files } : {}),
    ...(queue ? { queueProducers, queueConsumers } : {}),
    modules: [{ type: "ESModule", path: path ?? bundled }],
    // A bundle outside this checkout would have a name with "..", which workerd refuses.
    ...(path ? { modulesRoot: dirname(path) } : {}),
    bindings: { ...bindings, ...settings },
    cf: false,
    // Otherwise each request of the worker's goes through another worker, which takes as much CPU as the request.
    stripCfConnectingIp: false,
    port,
    handleRuntimeStdio: (...streams: Readable[]) => {
      for (const stream of streams) readLines(stream, (line) => tell(line, onLog));
    },
  } as MiniflareOptions);
  await worker.ready;
  return worker;
}

function tell(line: string, onLog: WorkerOptions["onLog"]): void {
  const at = line.indexOf('{"level"');
  if (at < 0) return;
  try {
    onLog?.(JSON.parse(line.slice(at)));
  } catch {
    // Half an entry of a worker that was killed.
  }
}

function readLines(stream: Readable, hear: (line: string) => void): void {
  let rest = "";
  stream.on("data", (part) => {
    const lines = (rest + String(part)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) hear(line);
  });
}
