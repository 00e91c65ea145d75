import { readFileSync } from "node:fs";
import { Session } from "node:inspector";
import { pathToFileURL } from "node:url";
import { bundleWorker } from "./build.ts";
import { noFaults } from "./faults.ts";
import { TROUBLES } from "./liveness.ts";
import type { simulate as Simulate } from "./run.ts";
import { EDITION } from "./shape.ts";
import { segmentsOf } from "./source-map.ts";
import type { Figures, How } from "./tiers.ts";

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
const MOST_NAMED = 5;

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
    const kinds = by.size > MOST_NAMED ? `${by.size} kinds` : [...by].join(", ");
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
