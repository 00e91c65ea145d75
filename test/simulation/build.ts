import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { Worker } from "node:worker_threads";
import { build, type Plugin } from "esbuild";
import type { Mutant } from "./mutants.ts";
import type { Range, Tally } from "./seeds.ts";

const root = process.cwd();

/** Plants a mutant's texts while its files are loaded. Throws when a text does not stand exactly once. */
const planting = ({ name, edits }: Mutant): Plugin => ({
  name: "mutant",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const mine = edits.filter(({ file }) => file === relative(root, path));
      if (mine.length === 0) return undefined;
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

/** Bundles the seeds' entry, with a mutant or without. */
export async function bundleSeeds(mutant?: Mutant): Promise<string> {
  const outfile = join(root, `dist/test/seeds-${process.pid}-${built++}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: ["test/simulation/seeds.ts"],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["libsql"],
    logLevel: "silent",
    plugins: mutant ? [planting(mutant)] : [],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return outfile;
}

export const runRange = (script: string, range: Range): Promise<Tally> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(script, { workerData: range });
    worker.on("message", resolve);
    worker.on("error", reject);
    worker.on("exit", (code) => {
      if (code !== 0) reject(new Error(`a worker ended with ${code}`));
    });
  });
