import { readFileSync } from "node:fs";
import { Session } from "node:inspector";
import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { named } from "../support/named.ts";
import { bundleWorker } from "./build.ts";
import { exposureTier } from "./exposure/tier.ts";
import { type Fault, faultAt, noFaults } from "./faults.ts";
import { GOLDEN_SETS, goldenRequests } from "./golden/sets.ts";
import { goldenTier } from "./golden/tier.ts";
import { TROUBLES } from "./liveness.ts";
import { MUTANTS } from "./mutants.ts";
import { type simulate as Simulate, simulate } from "./run.ts";
import { EDITION, EDITIONS, type Edition, type Shape, START } from "./shape.ts";
import { segmentsOf } from "./source-map.ts";
import {
  boundsTier,
  type Draw,
  exhaustiveTier,
  type Figures,
  type How,
  livenessTier,
  mutantTier,
  parityTier,
  randomTier,
  swarmTier,
} from "./tiers.ts";
import { weekTier } from "./week.ts";

const USAGE = `Simulates passes of strategies with crashes, lost and late responses, two processes, and actions of people.

  --seed N [--libsql]              run one seed and print its trace
    --calm run|stop|panic|edit --timing sandbox|real [--grid trail|centered|exit] [--edition N]
    --call N --fault NAME|kill     one fault at one call
  --count N [--from N]             run N seeds (default 200)
  --swarm [--count N] [--from N] [--edition N,…]   run fresh seeds of all editions or some; --from defaults to the clock
  --exhaustive | --parity | --week | --bounds      run one tier
  --coverage [--count N] [--from N]   show which lines of the engine and of grids run under which fault
  --liveness [--count N] [--from N]   measure the recovery time after each fault
  --exposure [--count N] [--from N]   run 10,000 sequences of a limited caller on two servers that crash
  --mutants [NAME] [--count N] [--from N]   try 600 seeds on each planted bug, 3,000 if one edition shows it; --from defaults to the clock
  --golden [NAME]                  compare the requests of 2,700 seeds, or of one set such as quotes, with the stored hashes
    --write                        store the hashes instead
    --seed N [--faults]            print the requests of one seed
  --full                           run all tiers at full size, or N random seeds, and print the figures
  --strategy follow|quote|declared|example   run the test strategy, quotes, user functions or the examples instead of grids
  --hints removed|doubled|delayed   change the hints of edition 18
  --ticks N                        ticks of a run (default 200)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string" },
    libsql: { type: "boolean" },
    calm: { type: "string" },
    timing: { type: "string" },
    grid: { type: "string" },
    edition: { type: "string" },
    strategy: { type: "string" },
    hints: { type: "string" },
    broken: { type: "string" },
    call: { type: "string" },
    fault: { type: "string" },
    count: { type: "string" },
    from: { type: "string" },
    ticks: { type: "string" },
    swarm: { type: "boolean" },
    exhaustive: { type: "boolean" },
    parity: { type: "boolean" },
    mutants: { type: "boolean" },
    week: { type: "boolean" },
    bounds: { type: "boolean" },
    liveness: { type: "boolean" },
    coverage: { type: "boolean" },
    exposure: { type: "boolean" },
    trouble: { type: "string" },
    golden: { type: "boolean" },
    write: { type: "boolean" },
    faults: { type: "boolean" },
    full: { type: "boolean" },
    help: { type: "boolean" },
  },
});

const isScreen = process.stderr.isTTY;
const how: How = {
  workers: Math.min(4, availableParallelism()),
  report: (text) => isScreen && process.stderr.write(`\r\u001b[K${text}`),
};

/** Returns the value of a flag; another value than these ends the run. */
function chosen<T extends string>(
  flag: string,
  value: string | undefined,
  known: readonly T[],
): T | undefined {
  if (value === undefined || known.includes(value as T)) return value as T | undefined;
  console.error(`--${flag} must be one of ${known.join(", ")}, not ${value}`);
  process.exit(2);
}
const strategy = chosen("strategy", values.strategy, ["follow", "quote", "declared", "example"]);
const hints = chosen("hints", values.hints, ["removed", "doubled", "delayed"]);
/** The kind of strategy; grids by default. */
const requestedKind = { ...(strategy ? { strategy } : {}), ...(hints ? { hints } : {}) };

async function printRequests(seed: number): Promise<boolean> {
  const requests = await goldenRequests({ strategy, ...(values.faults ? { faults: true } : {}) }, seed);
  for (const { at, line } of requests)
    console.log(`${((at - START) / 1000).toFixed(3).padStart(10)}  ${line}`);
  return true;
}

async function replay(seed: number): Promise<boolean> {
  if (values.golden) return printRequests(seed);
  const { fault, call } = values;
  const wrong =
    call === undefined
      ? {}
      : fault === "kill"
        ? { faults: noFaults, killAt: Number(call) }
        : { faults: faultAt(Number(call), fault as Fault) };
  const result = await simulate({
    seed,
    ticks: Number(values.ticks ?? 200),
    ...(values.calm ? { calm: values.calm as Shape["calm"] } : {}),
    ...(values.grid ? { grid: values.grid } : {}),
    ...(values.edition ? { edition: Number(values.edition) } : {}),
    ...requestedKind,
    ...(values.trouble ? { trouble: values.trouble } : {}),
    ...(values.broken ? { broken: values.broken } : {}),
    ...(values.timing ? { timing: values.timing as Shape["timing"] } : {}),
    ...wrong,
    keep: true,
    mirrored: values.libsql ?? false,
  } as Parameters<typeof simulate>[0]);
  for (const line of result.lines) console.log(line);
  for (const { at, what } of result.violations.slice(0, 20)) console.log(`VIOLATION ${at}: ${what}`);
  console.log(
    `seed ${seed}: ${result.passes} passes, ${result.calls} calls, ${result.orders} orders, ${result.fills} fills, trace ${result.hash.toString(16)}, ${result.violations.length} violations`,
  );
  return result.violations.length === 0;
}

/** A new number each second, for ten days. */
const ofNow = (): number => Math.floor(Date.now() / 1000) % 900_000;
const isFresh = Boolean(values.full || values.swarm || values.parity || values.mutants);
const from = Number(values.from ?? (isFresh ? ofNow() : 0));
if (values.edition !== undefined && values.seed === undefined && !(from < EDITION)) {
  console.error(`--from must be below ${EDITION}, because a seed's millions are its edition`);
  process.exit(2);
}
const number = (fallback: number) => Number(values.count ?? fallback);
const editions =
  values.edition === undefined
    ? EDITIONS
    : values.edition.split(",").map((edition) => Number(edition) as Edition);
const draw = (fallback: number): Draw => ({ from, count: number(fallback), editions });

/** The planted bugs to try. */
const planted = values.golden ? MUTANTS : named(MUTANTS, positionals);
const golden = values.golden ? named(GOLDEN_SETS, positionals) : GOLDEN_SETS;
if (positionals.length > 0 && !values.mutants && !values.full && !values.golden) {
  console.error("names select planted bugs, so they require --mutants");
  process.exit(2);
}

const TIERS = [
  "swarm",
  "exhaustive",
  "parity",
  "mutants",
  "week",
  "bounds",
  "liveness",
  "coverage",
  "exposure",
  "golden",
] as const;

/** The same tiers for quotes, with other seeds. */
function* quoteTiers(): Generator<() => Promise<Figures[]>> {
  const of = { strategy: "quote" } as const;
  const named = (figures: readonly Figures[]) =>
    figures.map((one) => ({ ...one, title: `${one.title}, quotes` }));
  yield async () => named(await randomTier(draw(1000), how, false, of));
  yield async () => named(await exhaustiveTier([1], how, 1, of));
  yield async () => named(await parityTier({ ...draw(50), count: 50 }, how, 100, of));
}

function* tiers(): Generator<() => Promise<Figures[]>> {
  const { full } = values;
  // A rare bug can need more than 600, and a bug that is missed fails the run.
  const most = full ? 1500 : number(600);
  if (values.swarm) yield () => swarmTier(draw(1000), how, requestedKind);
  if (full || !TIERS.some((tier) => values[tier]))
    yield () => randomTier(draw(full ? 3000 : 200), how, full ?? false, requestedKind);
  if (full || values.exhaustive) yield () => exhaustiveTier([1, 2], how, 1, requestedKind);
  if (full || values.parity)
    yield () => parityTier(full ? { ...draw(100), count: 100 } : draw(100), how, 100, requestedKind);
  if (full && values.strategy === undefined) yield* quoteTiers();
  if (full || values.mutants) yield () => mutantTier(most, how, planted, from);
  if (full || values.week) yield () => weekTier(how);
  if (full || values.liveness) yield () => livenessTier(from, number(full ? 40 : 20), how);
  if (values.coverage) yield () => coverageTier(from, number(10), how);
  if (full || values.golden)
    yield () => goldenTier(how, { sets: golden, writes: Boolean(values.golden && values.write) });
  if (values.exposure) yield () => exposureTier(Number(values.from ?? 1), number(10_000), how);
  if (full || values.bounds) yield () => boundsTier(from, full ? 60 : number(60), how);
}

async function runTiers(): Promise<boolean> {
  const began = performance.now();
  let isGood = true;
  if (isFresh) console.log(`seeds from --from ${from} on`);
  for (const tier of tiers()) {
    for (const { title, text, failed } of await tier()) {
      if (isScreen) process.stderr.write("\r\u001b[K");
      console.log(`${title}: ${text}`);
      for (const { run, what } of failed.slice(0, 20))
        console.log(`  FAILED npm run simulate -- ${run}\n    ${what}`);
      isGood &&= failed.length === 0;
    }
  }
  console.log(`${isGood ? "no violations" : "FAILED"}, ${((performance.now() - began) / 1000).toFixed(0)} s`);
  return isGood;
}

/** What a pass comes to; what people ask of a grid, and how it is told to them, other tests hold. */
const FOLDERS = [
  "src/engine",
  "src/grid/kind.ts",
  "src/grid/ladder",
  "src/grid/ledger",
  "src/grid/plan",
  "src/grid/state",
];
const TICKS = 100;
/** One line that so many kinds of trouble come across names none of them. */
const MAX_TROUBLE_KINDS_NAMED = 5;

if (values.help) console.log(USAGE);
else {
  const isGood = values.seed === undefined ? await runTiers() : await replay(Number(values.seed));
  process.exitCode = isGood ? 0 : 1;
}

type Run = Parameters<typeof Simulate>[0];

/** Runs without any trouble, with each kind of it alone, and with a mix of all of them, people and restores. */
function groupsOf(from: number, count: number): ReadonlyMap<string, readonly Run[]> {
  const seeds = Array.from({ length: count }, (_, i) => from + i);
  const each = (run: (seed: number) => Omit<Run, "ticks">): Run[] =>
    seeds.map((seed) => ({ ticks: TICKS, ...run(seed) }));
  return new Map([
    ["none", each((seed) => ({ seed: seed + 2 * EDITION, faults: noFaults }))],
    ...TROUBLES.map((trouble): [string, Run[]] => [
      trouble,
      each((seed) => ({ seed: seed + 2 * EDITION, timing: "real", trouble })),
    ]),
    [
      "all at once",
      [4, 5, 6, 7, 8].flatMap((edition) => each((seed) => ({ seed: seed + edition * EDITION }))),
    ],
  ]);
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** What has run of one script since it was last asked. */
function openCoverage() {
  const session = new Session();
  session.connect();
  const post = <T>(method: string, params: object = {}): Promise<T> =>
    new Promise((resolve, reject) =>
      session.post(method, params, (error, answer) => (error ? reject(error) : resolve(answer as T))),
    );
  return {
    start: async () => {
      await post("Profiler.enable");
      await post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    },
    async take(url: string): Promise<readonly (readonly Range[])[]> {
      const { result } = await post<{
        result: { url: string; functions: { ranges: Range[] }[] }[];
      }>("Profiler.takePreciseCoverage");
      return result.find((one) => one.url === url)?.functions.map(({ ranges }) => ranges) ?? [];
    },
    end: () => session.disconnect(),
  };
}

/** By offset how often the innermost range around it ran; -1 outside of all functions. */
function painted(functions: readonly (readonly Range[])[], length: number): Int32Array {
  const counts = new Int32Array(length).fill(-1);
  const inner = functions.filter(([whole]) => whole && whole.endOffset - whole.startOffset < length - 1);
  const all = inner.flat().sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of all) counts.fill(count, startOffset, endOffset);
  return counts;
}

/** Which lines of the engine and of grids run under which kind of trouble, and which under none. */
export async function coverageTier(from: number, count: number, { report: output }: How): Promise<Figures[]> {
  const script = await bundleWorker(undefined, "test/simulation/run.ts", true);
  const text = readFileSync(script, "utf8");
  const segments = segmentsOf(text, JSON.parse(readFileSync(`${script}.map`, "utf8"))).filter(({ source }) =>
    FOLDERS.some((folder) => source.startsWith(folder)),
  );
  const url = pathToFileURL(script).href;
  const coverage = openCoverage();
  await coverage.start();
  const { simulate } = (await import(url)) as { simulate: typeof Simulate };
  const code = painted(await coverage.take(url), text.length);
  const inFunctions = segments.filter(({ offset }) => (code[offset] ?? -1) >= 0);
  const ranBy = new Map<string, Set<string>>(inFunctions.map(({ line }) => [line, new Set()]));
  for (const [name, runs] of groupsOf(from, count)) {
    output?.(`coverage: ${name}`);
    for (const run of runs) await simulate(run);
    const counts = painted(await coverage.take(url), text.length);
    for (const { offset, line } of inFunctions) if ((counts[offset] ?? 0) > 0) ranBy.get(line)?.add(name);
  }
  coverage.end();
  return [{ title: "coverage", text: formatCoverage(ranBy, count), failed: [] }];
}

function formatCoverage(ranBy: ReadonlyMap<string, ReadonlySet<string>>, count: number): string {
  const all = [...ranBy.values()];
  const names = [...new Set(all.flatMap((by) => [...by]))];
  const sums = names.map((name) => {
    const ran = all.filter((by) => by.has(name));
    const alone = ran.filter(({ size }) => size === 1).length;
    return `  ${name}: ${ran.length}${alone > 0 ? `, ${alone} of them under nothing else` : ""}`;
  });
  const lines = (isMeant: (by: ReadonlySet<string>) => boolean) =>
    grouped([...ranBy].filter(([, by]) => isMeant(by)));
  const never = all.filter(({ size }) => size === 0).length;
  return [
    `${all.length} lines of functions in ${FOLDERS.join(", ")}; ${count} seeds of each kind of trouble alone; lines that ran, by kind:`,
    ...sums,
    "run under trouble alone:",
    ...lines((by) => by.size > 0 && !by.has("none")),
    `never, ${never}:`,
    ...lines(({ size }) => size === 0),
  ].join("\n");
}

/** By file, and in it lines that the same kinds came across. */
function grouped(lines: readonly (readonly [string, ReadonlySet<string>])[]): string[] {
  const files = new Map<string, Map<string, number[]>>();
  for (const [line, by] of lines) {
    const [file = "", number] = line.split(":");
    const kinds = by.size > MAX_TROUBLE_KINDS_NAMED ? `${by.size} kinds` : [...by].join(", ");
    const places = files.get(file) ?? new Map<string, number[]>();
    files.set(file, places.set(kinds, [...(places.get(kinds) ?? []), Number(number)]));
  }
  return [...files].sort().map(([file, places]) => {
    const parts = [...places].map(([kinds, numbers]) => spans(numbers) + (kinds ? ` (${kinds})` : ""));
    return `  ${file}: ${parts.join("; ")}`;
  });
}

/** `3-5, 9` */
function spans(numbers: readonly number[]): string {
  const found: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
}
