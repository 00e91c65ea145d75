import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Worker } from "node:worker_threads";
import { build, type Plugin } from "esbuild";
import { ALIASES } from "../../cli/build/aliases.mjs";
import { PACKAGE_ALIASES } from "../support/package-alias.ts";
import { added, type Job, NO_TALLY, type Tally } from "./jobs.ts";
import type { Mutant } from "./mutant.ts";

const root = process.cwd();

/** Plants a mutant's texts while its files are loaded. Throws when a text does not stand exactly once, or nowhere. */
const planting = ({ name, edits }: Mutant): Plugin => ({
  name: "mutant",
  setup({ onLoad, onEnd }) {
    const planted = new Set<string>();
    onEnd(() => {
      const lost = edits.find(({ file }) => !planted.has(file));
      if (lost) throw new Error(`mutant "${name}": ${lost.file} is none of what is bundled`);
    });
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const mine = edits.filter(({ file }) => file === relative(root, path));
      if (mine.length === 0) return undefined;
      planted.add(relative(root, path));
      const contents = mine.reduce(
        (text, { file, from, to }) => {
          const parts = text.split(from);
          if (parts.length !== 2)
            throw new Error(`mutant "${name}": its text stands ${parts.length - 1} times in ${file}`);
          return parts.join(to);
        },
        readFileSync(path, "utf8"),
      );
      return { contents, loader: "ts" };
    });
  },
});

let built = 0;
const bundles = new Map<string, Promise<string>>();

/** Bundles a worker, with a mutant or without it, on request with a source map. Without a mutant it does so once. */
export function bundleWorker(
  mutant?: Mutant,
  entry = "test/simulation/worker.ts",
  sourcemap = false,
): Promise<string> {
  if (mutant) return bundled(entry, sourcemap, mutant);
  const key = `${entry} ${sourcemap}`;
  const bundle = bundles.get(key) ?? bundled(entry, sourcemap);
  bundles.set(key, bundle);
  return bundle;
}

async function bundled(entry: string, sourcemap: boolean, mutant?: Mutant): Promise<string> {
  const outfile = join(root, `dist/test/worker-${process.pid}-${built++}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["libsql"],
    alias: { ...ALIASES, ...PACKAGE_ALIASES },
    sourcemap,
    logLevel: "silent",
    plugins: mutant ? [planting(mutant)] : [],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return outfile;
}

/** One thread that runs jobs, one after another. */
function openWorker<J, T>(script: string) {
  // What a run makes lives for a moment: in a young heap of this size hardly any of it is copied.
  const worker = new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: 64 } });
  return {
    run: (job: J): Promise<T> =>
      new Promise((resolve, reject) => {
        worker.removeAllListeners();
        worker.on("message", resolve);
        worker.on("error", reject);
        worker.postMessage(job);
      }),
    close: () => worker.terminate(),
  };
}

export interface Running<T> {
  readonly workers: number;
  /** Hears how many are done. */
  readonly onProgress?: (done: number) => void;
  /** After such a job no other is begun. */
  readonly isEnough?: (result: T) => boolean;
}

/** Runs jobs on as many threads as `workers` says. Their results are in the jobs' order. */
export async function runEach<J, T>(
  script: string,
  jobs: readonly J[],
  { workers, onProgress: report = () => {}, isEnough = () => false }: Running<T>,
): Promise<readonly T[]> {
  const results: T[] = [];
  const waiting = [...jobs.entries()];
  let done = 0;
  const work = async () => {
    const worker = openWorker<J, T>(script);
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [place, job] = next;
      const result = await worker.run(job);
      results[place] = result;
      report(++done);
      if (isEnough(result)) waiting.length = 0;
    }
    await worker.close();
  };
  await Promise.all(Array.from({ length: workers }, work));
  return results;
}

/** Runs jobs of the simulation, and adds up. */
export const runJobs = async (
  script: string,
  jobs: readonly Job[],
  running: Running<Tally>,
): Promise<Tally> => (await runEach<Job, Tally>(script, jobs, running)).reduce(added, NO_TALLY);
