import { existsSync, writeFileSync } from "node:fs";
import { bundleWorker, runEach } from "../build.ts";
import type { Failure } from "../jobs.ts";
import type { Mutant } from "../mutant.ts";
import type { Figures, How } from "../tiers.ts";
import { GOLDEN_SETS, type GoldenSet, pathOf, seedsOf, storedLines } from "./sets.ts";
import type { GoldenJob } from "./worker.ts";

const SEEDS_A_JOB = 25;

interface Golden {
  /** Stores the lines in place of comparing them. */
  readonly writes?: boolean;
  readonly seedsOf?: (set: GoldenSet) => readonly number[];
  readonly sets?: readonly GoldenSet[];
  readonly mutant?: Mutant;
}

/** Compares the requests of each seed with the stored ones. */
export async function goldenTier(
  { workers, report = () => {} }: How,
  { writes = false, sets = GOLDEN_SETS, seedsOf: seeds = seedsOf, mutant }: Golden = {},
): Promise<Figures[]> {
  const script = await bundleWorker(mutant, "test/simulation/golden/worker.ts");
  const before = process.cpuUsage();
  const jobs = sets.flatMap((set) => parts(seeds(set)).map((part): GoldenJob => ({ set, seeds: part })));
  const lines = await runEach<GoldenJob, readonly string[]>(script, jobs, {
    workers,
    onProgress: (done) => report(`golden: ${done} of ${jobs.length} parts`),
  });
  const { user, system } = process.cpuUsage(before);
  const figures = sets.map((set): Figures => {
    const own = lines.flatMap((some, place) => (jobs[place]?.set === set ? some : []));
    const stored = existsSync(pathOf(set)) ? storedLines(set) : new Map<number, string>();
    const other = own.filter((line) => stored.get(Number.parseInt(line, 10)) !== line);
    if (writes) writeFileSync(pathOf(set), own.map((line) => `${line}\n`).join(""));
    const requests = own.reduce((sum, line) => sum + Number(line.split(" ")[2]), 0);
    return {
      title: `golden ${set.name}`,
      text: `${own.length} seeds, ${requests} requests, ${other.length} seeds with other requests${writes ? ", stored" : ""}`,
      failed: writes ? [] : other.map((line) => different(set, line, stored)),
    };
  });
  const cpu = ((user + system) / 1_000_000).toFixed(0);
  return [...figures, { title: "golden", text: `${cpu} s of a processor`, failed: [] }];
}

const parts = (seeds: readonly number[]): readonly (readonly number[])[] =>
  Array.from({ length: Math.ceil(seeds.length / SEEDS_A_JOB) }, (_, place) =>
    seeds.slice(place * SEEDS_A_JOB, (place + 1) * SEEDS_A_JOB),
  );

/** Returns how to print the requests of a seed, so that those of two checkouts can be compared. */
function different(
  { strategy, faults }: GoldenSet,
  line: string,
  stored: ReadonlyMap<number, string>,
): Failure {
  const [seed, , count] = line.split(" ");
  const [, , before] = stored.get(Number(seed))?.split(" ") ?? [];
  return {
    run: `--golden --seed ${seed}${strategy ? ` --strategy ${strategy}` : ""}${faults ? " --faults" : ""}`,
    what: `${count} requests, stored: ${before === undefined ? "none" : before === count ? "as many others" : before}`,
  };
}
