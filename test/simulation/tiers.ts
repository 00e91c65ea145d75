import { hashText } from "../../src/kernel/hash.ts";
import { bundleWorker, runJobs } from "./build.ts";
import { shownDensity } from "./density.ts";
import { type Fault, SIX_FAULTS } from "./faults.ts";
import type { Failure, Job, Tally } from "./jobs.ts";
import { TROUBLES, type Trouble } from "./liveness.ts";
import type { Mutant } from "./mutant.ts";
import { simulate } from "./run.ts";
import { type Bound, EDITION, EDITIONS, type Edition, type Shape } from "./shape.ts";

export interface Figures {
  readonly title: string;
  readonly text: string;
  readonly failed: readonly Failure[];
}

export interface How {
  readonly workers: number;
  readonly report?: (text: string) => void;
}

/** Which kind of strategy runs, and what becomes of its hints. */
type Of = Pick<Shape, "strategy" | "hints">;

export const TICKS = 200;
/** Those that libSQL can follow: it loses no commits, and its clock does not step. */
const MIRRORED = EDITIONS.filter((edition) => edition < 8);

/** Which seeds a tier runs: so many of them in equal parts of each edition, each part from this number on. */
export interface Draw {
  readonly from: number;
  readonly count: number;
  readonly editions: readonly Edition[];
}

const firstOf = (edition: Edition): number => (edition - 1) * EDITION;
/** The first edition whose seeds draw their own faults. */
export const SWARM = firstOf(6);
/** Few seeds a job, so that no worker waits long for the other one. */
const SEEDS_A_JOB = 25;

const jobsOf = (from: number, count: number, shape: Shape, mirrored = false): Job[] =>
  Array.from({ length: Math.ceil(count / SEEDS_A_JOB) }, (_, i) => ({
    kind: "seeds",
    from: from + i * SEEDS_A_JOB,
    count: Math.min(SEEDS_A_JOB, count - i * SEEDS_A_JOB),
    shape,
    mirrored,
  }));

const ofEditions = ({ from, count, editions }: Draw, shape: Shape, mirrored = false): Job[] =>
  editions.flatMap((edition, i, { length }) =>
    jobsOf(firstOf(edition) + from, Math.floor((count + i) / length), shape, mirrored),
  );

const timed = async <T>(work: () => Promise<T>): Promise<{ value: T; seconds: string }> => {
  const began = performance.now();
  const value = await work();
  return { value, seconds: ((performance.now() - began) / 1000).toFixed(1) };
};

const run = (script: string, jobs: readonly Job[], { workers, report: result }: How, title: string) =>
  timed(() =>
    runJobs(script, jobs, {
      workers,
      onProgress: (done) => result?.(`${title}: ${done} of ${jobs.length} parts`),
    }),
  );

/** Seeds with random deeds and faults; then the same ones again, which have to leave the same trace. */
export async function randomTier(draw: Draw, how: How, again: boolean, of: Of = {}): Promise<Figures[]> {
  const script = await bundleWorker();
  const jobs = ofEditions(draw, { ticks: TICKS, ...of });
  const first = await run(script, jobs, how, "random");
  const { runs, passes, orders, fills, moves, calls, settled, failed, hashes } = first.value;
  const random: Figures = {
    title: "random",
    text: `${runs} seeds, ${passes} passes, ${calls} calls, ${orders} orders, ${fills} fills, ${moves} rebuilds, trails and exits; settled within ${Math.round(settled / 1000)} s of the last fault; ${failed.length} violations in ${first.seconds} s`,
    failed,
  };
  if (!again) return [random];
  const second = await run(script, jobs, how, "determinism");
  const other = hashes.flatMap((hash, i) =>
    hash === second.value.hashes[i]
      ? []
      : [{ run: `the ${i}th of ${draw.count} seeds`, what: "the second run has another trace" }],
  );
  const text = `${hashes.length} seeds run twice, ${other.length} with another trace, in ${second.seconds} s`;
  return [random, { title: "determinism", text, failed: other }];
}

/** Fresh seeds: the number that they begin with is printed, so that a failure can be repeated. */
export async function swarmTier(draw: Draw, how: How, of: Of = {}): Promise<Figures[]> {
  const script = await bundleWorker();
  const jobs = ofEditions(draw, { ticks: TICKS, ...of });
  const before = process.cpuUsage();
  const { value, seconds } = await run(script, jobs, how, "swarm");
  const { user, system } = process.cpuUsage(before);
  // Of all threads: what other work does beside them changes it little.
  const busy = (user + system) / 1_000_000;
  const { runs, passes, calls, orders, settled, density, failed, hashes } = value;
  const text = `${runs} seeds of editions ${draw.editions.join(", ")} from --from ${draw.from} on, ${passes} passes (${Math.round(passes / busy)} a second of a processor), ${calls} calls, ${orders} orders; settled within ${Math.round(settled / 1000)} s of the last fault; ${shownDensity(density)}; ${failed.length} violations in ${seconds} s, ${busy.toFixed(1)} s of a processor; traces ${hashText(hashes.join()).toString(16)}`;
  return [{ title: "swarm", text, failed }];
}

const SHAPES: readonly Shape[] = (["run", "stop", "panic"] as const).flatMap((calm) => [
  ...(["sandbox", "real"] as const).map((timing) => ({ ticks: 14, calm, timing })),
  // A tick of a minute would show more moves in as many calls; 5 s apart is what a move needs.
  ...(["trail", "centered", "exit"] as const).map((grid) => ({
    ticks: 20,
    calm,
    timing: "real" as const,
    grid,
    edition: 3 as const,
  })),
]);

/** A change of a running grid: its cancels, its new orders, and what is filled between. */
const EDIT_SHAPES: readonly Shape[] = (["range", "trail"] as const).flatMap((grid) =>
  (["sandbox", "real"] as const).map((timing) => ({ ticks: 20, calm: "edit", timing, grid, edition: 3 })),
);

const ALL_SHAPES = [...SHAPES, ...EDIT_SHAPES];

/** One fault at every call of short runs: of a grid that goes on, is stopped or changed, and of a panic. */
export async function exhaustiveTier(
  seeds: readonly number[],
  how: How,
  every = 1,
  of: Of = {},
): Promise<Figures[]> {
  const script = await bundleWorker();
  const results: Figures[] = [];
  for (const [title, faults] of [
    ["exhaustive", SIX_FAULTS],
    ["kill switch", ["kill"]],
  ] as [string, readonly (Fault | "kill")[]][]) {
    const jobs: Job[] = [];
    for (const seed of seeds)
      for (const shape of ALL_SHAPES) jobs.push(...(await callsOf(seed, { ...shape, ...of }, faults, every)));
    const { value, seconds } = await run(script, jobs, how, title);
    const text = `${seeds.length} seeds × ${ALL_SHAPES.length} shapes of run, stop, panic and change × ${faults.length} faults at every ${every === 1 ? "" : `${every}th `}call: ${value.runs} runs, ${value.failed.length} violations in ${seconds} s`;
    results.push({ title, text, failed: value.failed });
  }
  return results;
}

const CALLS_A_JOB = 10;

async function callsOf(
  seed: number,
  shape: Shape,
  faults: readonly (Fault | "kill")[],
  every: number,
): Promise<Job[]> {
  const { callsUntilQuiet } = await simulate({ seed, ...shape, faults: () => undefined });
  const jobs: Job[] = [];
  const width = every === 1 ? CALLS_A_JOB : 1;
  for (let from = 0; from < callsUntilQuiet; from += width * every)
    jobs.push({ kind: "calls", seed, shape, faults, from, to: Math.min(from + width, callsUntilQuiet) });
  return jobs;
}

/** Seeds in memory and on libSQL at once. */
export async function parityTier(draw: Draw, how: How, ticks = 100, of: Of = {}): Promise<Figures[]> {
  const script = await bundleWorker();
  const editions = draw.editions.filter((edition) => MIRRORED.includes(edition));
  const jobs = ofEditions({ ...draw, editions }, { ticks, ...of }, true);
  const parts = jobs.flatMap((job) => split(job));
  const { value, seconds } = await run(script, parts, how, "libSQL parity");
  const text = `${value.runs} seeds, ${value.calls} calls with the same answers from memory and libSQL; ${value.failed.length} differences in ${seconds} s`;
  return [{ title: "libSQL parity", text, failed: value.failed }];
}

const split = (job: Job): Job[] =>
  job.kind === "seeds"
    ? Array.from({ length: job.count }, (_, i) => ({ ...job, from: job.from + i, count: 1 }))
    : [job];

const shapeOf = ({ strategy }: Mutant): Shape => ({ ticks: TICKS, ...(strategy ? { strategy } : {}) });

/** Maximum number of seeds for a bug that another test shows. */
const MAX_SEEDS_IF_KNOWN = 100;

/** How many seeds a bug is tried with: more of one edition, as about one of 300 shows the rarest bug. */
function mostOf({ edition, elsewhere }: Mutant, most: number): number {
  if (elsewhere !== undefined) return Math.min(most, MAX_SEEDS_IF_KNOWN);
  return edition ? 5 * most : most;
}

/** By turns one of each edition from a number on, until one is caught. */
async function caughtBy(mutant: Mutant, most: number, from: number): Promise<Tally> {
  const script = await bundleWorker(mutant);
  const editions = mutant.edition ? [mutant.edition] : EDITIONS;
  const jobs = Array.from({ length: most }, (_, place): Job => {
    const edition = editions[place % editions.length] ?? 1;
    const seed = firstOf(edition) + from + Math.floor(place / editions.length);
    return { kind: "seeds", from: seed, count: 1, shape: shapeOf(mutant) };
  });
  return runJobs(script, jobs, { workers: 1, isEnough: ({ failed }) => failed.length > 0 });
}

/** Whether a run breaks something without any planted bug, and so shows none. */
async function breaksAnyway({ run }: Failure, mutant: Mutant): Promise<boolean> {
  const seed = Number(/--seed (\d+)/.exec(run)?.[1]);
  return (await simulate({ seed, ...shapeOf(mutant) })).violations.length > 0;
}

/** After each kind of trouble alone everything has come right within a bound that is told. */
export async function livenessTier(
  from: number,
  count: number,
  how: How,
  { troubles = TROUBLES, mutant }: { troubles?: readonly Trouble[]; mutant?: Mutant } = {},
): Promise<Figures[]> {
  const script = await bundleWorker(mutant);
  const figures: Figures[] = [];
  for (const trouble of troubles) {
    const shape: Shape = { ticks: 100, timing: "real", calm: "run", trouble };
    const { value } = await run(script, jobsOf(EDITION + from, count, shape), how, trouble);
    const { runs, failed, right, density } = value;
    const text = `${runs} seeds, ${density.faults} faults at calls; all orders placed again within ${Math.round(right.millis / 1000)} s and ${right.passes} passes of the last fault; ${failed.length} violations`;
    figures.push({ title: trouble.padEnd(24), text, failed });
  }
  return figures;
}

const notCaught = ({ elsewhere }: Mutant): string =>
  elsewhere === undefined ? "not detected" : `not detected by a seed, but by ${elsewhere}`;

/** Every planted bug has to be caught by the first `most` seeds from a number on. */
export async function mutantTier(
  most: number,
  how: How,
  planted: readonly Mutant[],
  from: number,
): Promise<Figures[]> {
  const waiting = [...planted];
  const lines: string[] = [];
  const failed: Failure[] = [];
  let missed = 0;
  const { seconds } = await timed(() => Promise.all(Array.from({ length: how.workers }, work)));
  async function work(): Promise<void> {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const { runs, failed: caught } = await caughtBy(mutant, mostOf(mutant, most), from);
      how.report?.(`mutants: ${mutant.name}`);
      if (caught.length === 0) missed++;
      if (caught.length === 0 && mutant.elsewhere === undefined)
        failed.push({
          run: `--mutants "${mutant.name}" --from ${from}`,
          what: `was not detected within ${mostOf(mutant, most)} seeds`,
        });
      for (const failure of caught)
        if (await breaksAnyway(failure, mutant))
          failed.push({ run: failure.run, what: "breaks without the planted bug" });
      lines.push(
        `  ${mutant.name}: ${caught[0] ? `${caught[0].run.split(" --t")[0]}, number ${runs}: ${caught[0].what}` : notCaught(mutant)}`,
      );
    }
  }
  const text = `${lines.length} planted bugs, ${lines.length - missed} detected within ${most} seeds, or ${5 * most} of one edition, from --from ${from} on, in ${seconds} s\n${lines.sort().join("\n")}`;
  return [{ title: "mutants", text, failed }];
}

/** With what it is said to come to: nothing wrong where that is promised, else what it is. */
const BOUNDS: readonly (readonly [Bound, "holds" | "told"])[] = [
  ["expiry", "told"],
  ["skew", "holds"],
  ["read lag", "told"],
  ["steady lag, all answered", "holds"],
  ["steady lag", "told"],
];

/** What comes of a venue that does not keep what it is relied upon for. */
export async function boundsTier(from: number, count: number, how: How): Promise<Figures[]> {
  const script = await bundleWorker();
  const figures: Figures[] = [];
  for (const [broken, promised] of BOUNDS) {
    const jobs = jobsOf(from, count, { ticks: TICKS, timing: "real", broken });
    const { value } = await run(script, jobs, how, `${broken} broken`);
    const { runs, failed } = value;
    const text = `${failed.length} of ${runs} seeds break an invariant${kindsOf(failed)}`;
    figures.push({ title: `broken ${broken}`, text, failed: promised === "holds" ? failed : [] });
  }
  return figures;
}

function kindsOf(failed: readonly Failure[]): string {
  const kinds = new Map<string, number>();
  const first = new Map<string, string>();
  for (const { what, run: again } of failed) {
    const kind = what.replaceAll(/\b(grid-\S+|em\w{16}|\d[\d.]*(-\d+)?)/g, "…");
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    first.set(kind, first.get(kind) ?? again);
  }
  const results = [...kinds].sort((a, b) => b[1] - a[1]);
  return results.map(([kind, times]) => `\n    ${times} × ${kind} (${first.get(kind)})`).join("");
}
