import { existsSync, readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { createRandom } from "../simulation/random.ts";
import { type Bundled, bundle, OUT, shortHash } from "./bundle.ts";
import { type Child, openChild } from "./child.ts";
import { type Coverage, cover, type Found } from "./coverage.ts";
import type { Mutant } from "./instrument.ts";
import { proveGuards } from "./proving.ts";
import { sharedResults } from "./results.ts";
import { type Covered, nameOf, type Unit } from "./units.ts";

const USAGE = `Changes the source in one place at a time, and shows which tests and seeds detect the change.

  --sample N [--seed N]   try N random changes (default 300); --seed defaults to the clock
  --all                   try all changes
  --only PATH[,PATH…]     try all changes in files whose path contains one of these; with --sample, N of them
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

const createDigest = (file: string): string => shortHash(readFileSync(file, "utf8"));

const fileDigest = (file: string): string => {
  const text = digests.get(file) ?? createDigest(file);
  digests.set(file, text);
  return text;
};

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
  const coverage = await covering(bundled, new Set(chosen.map(({ file }) => file)), isOver);
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
async function covering(
  bundled: Bundled,
  files: ReadonlySet<string>,
  isOver: () => boolean,
): Promise<Coverage | undefined> {
  const { all: found, save: keep } = sharedResults<Found[string]>(COVERAGE);
  const coverage = await cover(bundled, {
    workers,
    found,
    isQuick: values.quick === true,
    by: values.reach ? ["test/simulation"] : values.by?.split(","),
    files,
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

/** How long a unit may take with a change that it takes 1 ms without. */
const longest = (millis: number): number => 15_000 + 12 * millis;
/** A process that has seen so many changes is given up. */
const CHANGES = 40;
/** So many are believed to be noticed until what noticed them is asked again without any change. */
const BELIEVED = 10;

const partsOf = (path: string): string[] =>
  path
    .replace(/(\.test)?\.ts$/, "")
    .split("/")
    .slice(1);

/** How long a piece of code is told at most. */
const SHORT = 70;

if (values.help) console.log(USAGE);
else process.exitCode = (await main().finally(() => rmSync(OUT, { recursive: true, force: true }))) ? 0 : 1;

export interface Result {
  readonly id: string;
  /** What noticed it; undefined where nothing did. */
  readonly by?: string;
  /** How many have looked. */
  readonly looked: number;
  /** Stamps of those that have looked and seen nothing. */
  readonly blind?: readonly string[] | undefined;
  readonly seconds: number;
}

/** How much sooner a test is asked about a file: it counts the folders that both lie in, and the name that both have. */
function nearness(unit: Unit, file: string): number {
  if (unit.kind !== "test") return 1;
  const [test, source] = [partsOf(unit.file), partsOf(file)];
  const shared = test.findIndex((part, i) => part !== source[i]);
  const folders = shared < 0 ? test.length : shared;
  return (1 + folders) * (test.at(-1) === source.at(-1) ? 20 : 1);
}

/** In which order each change is shown: first to what is near and quick, and has noticed most of its file's so far. */
function looking({ mutants }: Bundled, covered: readonly Covered[]) {
  /** How often each has noticed a change of a file. */
  const noticed = new Map<string, Map<Covered, number>>();
  const byMutant = new Map<number, Covered[]>();
  const byFile = new Map<string, Set<Covered>>();
  for (const one of covered)
    for (const number of one.reached) {
      const { file } = mutants[number] as Mutant;
      addTo(byMutant, number, [], (all) => all.push(one));
      addTo(byFile, file, new Set(), (all) => all.add(one));
    }

  const weight = (one: Covered, file: string): number => {
    // What has come across nothing of a file may still read its constants: it is asked about these alone.
    const known = byFile.get(file)?.has(one) ? 2 : 1;
    return (one.busy + 20) / (known * nearness(one.unit, file) * (1 + (noticed.get(file)?.get(one) ?? 0)));
  };
  return {
    lookers({ number, file, isLasting }: Mutant): Covered[] {
      // A constant is asked for nothing: whatever runs may rest on it.
      const all = isLasting ? covered : (byMutant.get(number) ?? []);
      const weighed = [...all].map((one) => ({ one, weight: weight(one, file) }));
      return weighed.sort((a, b) => a.weight - b.weight).map(({ one }) => one);
    },
    credit(one: Covered, file: string): void {
      addTo(noticed, file, new Map<Covered, number>(), (own) => own.set(one, (own.get(one) ?? 0) + 1));
    },
  };
}

function addTo<K, V>(all: Map<K, V>, key: K, none: V, add: (own: V) => void): void {
  const own = all.get(key) ?? none;
  add(own);
  all.set(key, own);
}

/** What has noticed a change, and has not been asked since how it goes without any. */
interface Believed {
  readonly mutant: Mutant;
  readonly one: Covered;
  readonly result: Result;
  /** In which of its child's processes. */
  readonly process: number;
}

/** Shows changes to what comes across them. */
export function hunter(
  bundled: Bundled,
  covered: readonly Covered[],
  { most, before }: { most: number; before: (id: string) => Result | undefined },
) {
  const { lookers, credit } = looking(bundled, covered);

  async function fails(
    child: Child,
    { unit, millis }: Covered,
    mutant: Mutant,
  ): Promise<{ readonly failure: string | undefined; readonly busy: number }> {
    const always = mutant.isLasting ? mutant.number : undefined;
    const ask = { kind: "try", unit, mutant: mutant.number } as const;
    const answer = await child.ask(ask, longest(millis), always);
    if (typeof answer === "string") return { failure: answer, busy: 0 };
    return answer.kind === "tried" ? answer : { failure: undefined, busy: 0 };
  }

  /** What fails with a change has to hold without it, in the same process: another change may have left something behind. */
  async function holds(child: Child, { unit, millis }: Covered): Promise<boolean> {
    const answer = await child.ask({ kind: "try", unit, mutant: undefined }, longest(millis));
    return typeof answer !== "string" && answer.kind === "tried" && answer.failure === undefined;
  }

  /** Whether it fails again in a process of its own: then it is not the machine that was slow. */
  async function failsAnew(child: Child, one: Covered, mutant: Mutant): Promise<boolean> {
    await child.end();
    const { failure } = await fails(child, one, mutant);
    await child.end();
    return failure !== undefined;
  }

  /** Who notices a change; `isSure` where that is asked again at once, and not by who calls. */
  async function hunt(child: Child, mutant: Mutant, isSure: boolean): Promise<Result & { one?: Covered }> {
    const began = performance.now();
    const seconds = () => Math.round((performance.now() - began) / 100) / 10;
    if (mutant.isLasting) await child.end();
    let [looked, spent] = [0, 0];
    const blind = new Set(before(mutant.id)?.blind);
    for (const one of lookers(mutant)) {
      if (blind.has(one.stamp ?? "")) continue;
      if (looked > 0 && spent + one.busy > most) break;
      looked++;
      const { failure, busy } = await fails(child, one, mutant);
      spent += busy;
      if (failure === undefined) {
        blind.add(one.stamp ?? "");
        continue;
      }
      const isFresh = mutant.isLasting || failure === "ended" || failure === "too long";
      const isBelieved = !(isFresh || isSure);
      const isDoubtful = isFresh || (isSure && !(await holds(child, one)));
      if (isDoubtful && !(await failsAnew(child, one, mutant))) continue;
      credit(one, mutant.file);
      const by = `${nameOf(one.unit)}: ${failure.slice(0, 200)}`;
      return { id: mutant.id, by, looked, seconds: seconds(), ...(isBelieved ? { one } : {}) };
    }
    if (mutant.isLasting) await child.end();
    return { id: mutant.id, looked: blind.size, blind: [...blind], seconds: seconds() };
  }

  /** What is believed, where what noticed it holds in the same process without a change; else it is hunted again. */
  async function settle(child: Child, believed: readonly Believed[]): Promise<Result[]> {
    const sure = new Map<Covered, boolean>();
    for (const { one } of believed) if (!sure.has(one)) sure.set(one, await holds(child, one));
    const now = child.process();
    const results: Result[] = [];
    for (const { mutant, one, result, process } of believed)
      results.push(sure.get(one) && process === now ? result : await hunt(child, mutant, true));
    return results;
  }

  /** Hunts them all, on so many processes, telling each result. */
  return async (
    mutants: readonly Mutant[],
    workers: number,
    report: (result: Result) => void,
    isOver: () => boolean,
  ) => {
    const waiting = [...mutants];
    const work = async () => {
      const child = openChild(bundled);
      let believed: Believed[] = [];
      const settled = async () => {
        for (const result of await settle(child, believed)) report(result);
        believed = [];
      };
      let observed = 0;
      for (let next = waiting.shift(); next && !isOver(); next = waiting.shift()) {
        if (next.isLasting || ++observed % CHANGES === 0) {
          await settled();
          await child.end();
        }
        const { one, ...result } = await hunt(child, next, false);
        if (one) believed.push({ mutant: next, one, result, process: child.process() });
        else report(result);
        if (believed.length === BELIEVED) await settled();
      }
      await settled();
      await child.end();
    };
    await Promise.all(Array.from({ length: workers }, work));
  };
}

/**
 * Where the simulation has been: of each file how many of its lines with something to change its seeds have come across,
 * and the first code of each line that none has. What is read once when its file is loaded is nobody's.
 */
export function reachOf(mutants: readonly Mutant[], covered: readonly Covered[]): readonly string[] {
  const request = new Set(covered.flatMap((one) => one.reached));
  const files = new Map<string, Map<number, { readonly code: string; isReached: boolean }>>();
  for (const { file, line, from, number, isLasting } of mutants) {
    if (isLasting) continue;
    const lines = files.get(file) ?? new Map();
    files.set(file, lines);
    const known = lines.get(line) ?? { code: from.slice(0, SHORT), isReached: false };
    lines.set(line, { ...known, isReached: known.isReached || request.has(number) });
  }
  return [...files].flatMap(([file, lines]) => {
    const missed = [...lines].filter(([, { isReached }]) => !isReached);
    const title = `${file}: ${lines.size - missed.length} of ${lines.size} lines`;
    return [title, ...missed.map(([line, { code }]) => `  ${String(line).padStart(4)}  ${code}`)];
  });
}
