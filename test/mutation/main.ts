import { existsSync, readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { createRandom } from "../simulation/random.ts";
import { type Bundled, bundle, OUT, shortHash } from "./bundle.ts";
import { type Coverage, cover, type Found } from "./coverage.ts";
import { hunter, type Result } from "./hunt.ts";
import type { Mutant } from "./instrument.ts";
import { proveGuards } from "./proving.ts";
import { reachOf } from "./reach.ts";
import { sharedResults } from "./results.ts";

const USAGE = `Changes the source in one place at a time, and shows which tests and seeds detect the change.

  --sample N [--seed N]   try N random changes (default 300); --seed defaults to the clock
  --all                   try all changes
  --only PATH[,PATH…]     try all changes in files whose path contains one of these
  --quick                 use only quick tests and few seeds
  --by PATH[,PATH…]       use only tests whose path contains one of these (also test/simulation,
                          test/mutation/guards)
  --guards [NAME …]       take out each condition of the SQL store, or those named: its deed has to come to something else
  --reach                 try no change; show which lines the simulation's seeds reach
  --seconds N             limit of CPU time for each change (default 4)
  --minutes N             stop after N minutes (default 60); the same command continues
  --workers N             processes (default 2)
  --list                  show undetected changes and stop`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string" },
    all: { type: "boolean" },
    only: { type: "string" },
    quick: { type: "boolean" },
    by: { type: "string" },
    guards: { type: "boolean" },
    reach: { type: "boolean" },
    seconds: { type: "string" },
    minutes: { type: "string" },
    workers: { type: "string" },
    list: { type: "boolean" },
    help: { type: "boolean" },
  },
});

const SAMPLE = 300;
/** Milliseconds of a processor that a quick test or seed takes at most. */
const QUICK = 1000;
const CACHE = "dist/mutation.json";
const COVERAGE = "dist/mutation-coverage.json";
const EQUIVALENT = "test/mutation/equivalent.md";

/** What was noticed stays so until its file changes; what was not is shown to whatever has changed or is new since. */
interface Known extends Result {
  readonly file: string;
}

const digests = new Map<string, string>();
const fileDigest = (file: string): string => {
  const text = digests.get(file) ?? createDigest(file);
  digests.set(file, text);
  return text;
};
const createDigest = (file: string): string => shortHash(readFileSync(file, "utf8"));

const workers = Number(values.workers ?? 2);

/** Whoever stops it loses the few changes that are looked at. */
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isStopped = true;
  });

async function main(): Promise<boolean> {
  const until = performance.now() + Number(values.minutes ?? 60) * 60_000;
  const isOver = () => isStopped || performance.now() > until;
  if (values.guards) return proveGuards(positionals);
  const bundled = await bundle();
  const { all: known, save } = sharedResults<Known>(CACHE);
  const fileOf = new Map(bundled.mutants.map(({ id, file }) => [id, file]));
  const equivalent = new Set(existsSync(EQUIVALENT) ? readFileSync(EQUIVALENT, "utf8").split("\n") : []);
  const isNamed = ({ id }: { readonly id: string }) => equivalent.has(id);

  const chosen = draw(countRequests(bundled.mutants, values.only?.split(",")));
  const coverage = await covering(bundled, isOver);
  if (!coverage) {
    console.log("the coverage is not complete yet: run the same command again to continue");
    return false;
  }
  for (const failed of coverage.failed)
    console.log(`not used, because it fails without any change: ${failed}`);

  if (values.reach) return printReach(chosen, coverage);
  const before = (id: string): Known | undefined => {
    const [result, file] = [known[id], fileOf.get(id)];
    return file !== undefined && result?.file === fileDigest(file) ? result : undefined;
  };
  const waiting = values.list ? [] : chosen.filter((one) => !before(one.id)?.by && !isNamed(one));
  let done = 0;
  const covered = values.quick ? coverage.covered.filter(({ busy }) => busy < QUICK) : coverage.covered;
  const hunt = hunter(bundled, covered, { most: Number(values.seconds ?? 4) * 1000, before });
  await hunt(
    waiting,
    workers,
    (result) => {
      // A process that was stopped with this one has noticed nothing.
      if (isStopped) return;
      known[result.id] = { ...result, file: fileDigest(fileOf.get(result.id) ?? "") };
      onReport(`${++done} of ${waiting.length}`);
      if (done % 20 === 0) save();
    },
    isOver,
  );
  save();
  return report(chosen, new Map(Object.entries(known).filter(([id]) => before(id))), isNamed);
}

function countRequests(mutants: readonly Mutant[], only: readonly string[] | undefined): readonly Mutant[] {
  if (!only) return mutants;
  const strange = only.filter((part) => !mutants.some(({ file }) => file.includes(part)));
  if (strange.length > 0)
    throw new Error(`no changes are made in ${strange.join(", ")}; see CHANGED in test/mutation`);
  return mutants.filter(({ file }) => only.some((part) => file.includes(part)));
}

function printReach(mutants: readonly Mutant[], { covered }: Coverage): boolean {
  const seeds = covered.filter(({ unit }) => unit.kind === "seed");
  for (const line of reachOf(mutants, seeds)) console.log(line);
  return seeds.length > 0;
}

function draw(mutants: readonly Mutant[]): readonly Mutant[] {
  if (values.sample === undefined && (values.all || values.only || values.reach)) return mutants;
  const count = Number(values.sample ?? SAMPLE);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  console.log(`--sample ${count} --seed ${seed} of ${mutants.length}`);
  const random = createRandom(seed);
  const drawn = mutants.map((mutant) => ({ mutant, place: random.share() }));
  return drawn
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

/** What notices what, as far as there was time to find it out; undefined where there was not enough. */
async function covering(bundled: Bundled, isOver: () => boolean): Promise<Coverage | undefined> {
  const { all: found, save: keep } = sharedResults<Found[string]>(COVERAGE);
  const coverage = await cover(bundled, {
    workers,
    found,
    isQuick: values.quick === true,
    by: values.reach ? ["test/simulation"] : values.by?.split(","),
    isOver,
    report: (left) => {
      onReport(`coverage: ${left} tests left`);
      if (left % 10 === 0) keep();
    },
  });
  keep();
  if (coverage && coverage.covered.length === 0) throw new Error(`no test runs: ${coverage.failed[0]}`);
  return coverage;
}

const onReport = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else process.stderr.write(`${text}\n`);
};

function report(
  chosen: readonly Mutant[],
  known: ReadonlyMap<string, Known>,
  isNamed: (mutant: Mutant) => boolean,
): boolean {
  const named = chosen.filter(isNamed);
  const shown = chosen.filter((one) => !isNamed(one) && known.has(one.id));
  const survived = shown.filter(({ id }) => known.get(id)?.by === undefined);
  for (const { id, line, operator } of survived)
    console.log(`NOT DETECTED (${operator}, line ${line}, ${known.get(id)?.looked} tests ran) ${id}`);
  const folders = [...new Set(shown.map(({ file }) => folderOf(file)))].sort();
  const isDetected = ({ id }: Mutant) => known.get(id)?.by !== undefined;
  for (const folder of folders) {
    const own = shown.filter(({ file }) => folderOf(file) === folder);
    console.log(`${folder}: ${scored(own.filter(isDetected).length, own.length)}`);
  }
  const seconds = shown.reduce((sum, { id }) => sum + (known.get(id)?.seconds ?? 0), 0);
  console.log(
    `all: ${scored(shown.length - survived.length, shown.length)}; ${named.length} more without effect, listed in ${EQUIVALENT}; ${chosen.length - shown.length - named.length} not tried yet; ${Math.round(seconds)} s of CPU time`,
  );
  return shown.length - survived.length >= shown.length * 0.9;
}

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf("/"));
const scored = (detected: number, of: number): string =>
  `${detected} of ${of} detected (${((detected / Math.max(1, of)) * 100).toFixed(1)} %)`;

if (values.help) console.log(USAGE);
else process.exitCode = (await main().finally(() => rmSync(OUT, { recursive: true, force: true }))) ? 0 : 1;
