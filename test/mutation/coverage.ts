import { EDITION } from "../simulation/shape.ts";
import { type Bundled, shortHash, WORKER } from "./bundle.ts";
import { openChild } from "./child.ts";
import { GUARDS } from "./guards/guards.ts";
import type { Ask, Covered, Reported, Unit } from "./units.ts";

const MAX_COVERAGE_RUN_MS = 240_000;
/** First seeds of each edition, of a number that no kept seed has. */
const FROM = 640_000;
const EDITIONS = [0, 1, 2, 3, 4, 5];

const seedsOf = (each: number, mirrored: boolean): Unit[] =>
  Array.from({ length: each }, (_, i) => i).flatMap((i) =>
    EDITIONS.map((edition): Unit => ({ kind: "seed", seed: edition * EDITION + FROM + i, mirrored })),
  );

/** Seeds and deeds, as far as where they lie is asked for. */
const unitsOf = (isQuick: boolean, by: readonly string[] | undefined): readonly Unit[] => {
  const isRequested = (folder: string) => !by || by.some((part) => folder.includes(part));
  return [
    ...(isRequested("test/simulation")
      ? [...seedsOf(isQuick ? 4 : 12, false), ...seedsOf(isQuick ? 1 : 2, true)]
      : []),
    ...(isRequested("test/mutation/guards") ? GUARDS.map(({ name }): Unit => ({ kind: "deed", name })) : []),
  ];
};

const testsOf = (bundled: Bundled, isQuick: boolean, by: readonly string[] | undefined): string[] =>
  Object.keys(bundled.tests)
    .filter((file) => !isQuick || bundled.isOfParts(file))
    .filter((file) => !by || by.some((part) => file.includes(part)));

export interface Coverage {
  readonly covered: readonly Covered[];
  /** What fails without any change, and so can notice none. */
  readonly failed: readonly string[];
}

/** As it is kept: changes by their file and their place in it, for as long as nothing that it rests on changes. */
interface Part {
  readonly digest: string;
  readonly covered: readonly (Omit<Covered, "reached" | "stamp"> & {
    readonly reached: Readonly<Record<string, readonly number[]>>;
  })[];
  readonly failed: readonly string[];
}

/** What has been found out so far, by what was asked. */
export type Found = Record<string, Part>;

interface How {
  readonly workers: number;
  readonly found: Found;
  readonly isQuick: boolean;
  /** Parts of the paths of what is asked; undefined asks all. */
  readonly by: readonly string[] | undefined;
  /** The files with changes to try: what rests on none of them is not asked. */
  readonly files: ReadonlySet<string>;
  readonly isOver: () => boolean;
  readonly report: (left: number) => void;
}

/** What each test, seed and deed comes across, found out once; undefined where there was no time for all of it. */
export async function cover(
  bundled: Bundled,
  { workers, found, isQuick, by, files, isOver, report }: How,
): Promise<Coverage | undefined> {
  const places = placesOf(bundled);
  const all = [
    ...testsOf(bundled, isQuick, by)
      .filter((file) => bundled.restsOn(file, files))
      .map((file): Ask => ({ kind: "cover", file })),
    ...(bundled.restsOn(WORKER, files) ? unitsOf(isQuick, by) : []).map(
      (unit): Ask => ({ kind: "cover unit", unit }),
    ),
  ];
  const digestOf = (ask: Ask) => bundled.digestOf(ask.kind === "cover" ? ask.file : WORKER);
  const asks = all.filter((ask) => found[JSON.stringify(ask)]?.digest !== digestOf(ask));
  const work = async () => {
    const child = openChild(bundled);
    for (let ask = isOver() ? undefined : asks.shift(); ask; ask = isOver() ? undefined : asks.shift()) {
      const first = await child.ask(ask, MAX_COVERAGE_RUN_MS);
      // What another one has left behind ends it: once more, in a process of its own.
      const answer = typeof first === "string" ? await child.ask(ask, MAX_COVERAGE_RUN_MS) : first;
      found[JSON.stringify(ask)] = { digest: digestOf(ask), ...partOf(ask, answer, places) };
      report(asks.length);
    }
    await child.end();
  };
  await Promise.all(Array.from({ length: workers }, work));
  if (asks.length > 0) return undefined;
  const parts = all.map((ask) => found[JSON.stringify(ask)]).filter((part) => part !== undefined);
  return {
    covered: parts.flatMap((part) => coveredOf(part, places)),
    failed: parts.flatMap(({ failed }) => failed),
  };
}

function partOf(ask: Ask, answer: Reported | string, places: Places): Omit<Part, "digest"> {
  if (typeof answer === "string") return { covered: [], failed: [`${JSON.stringify(ask)}: ${answer}`] };
  if (answer.kind !== "covered") return { covered: [], failed: [] };
  const covered = answer.covered.map(({ reached: requests, ...one }) => ({
    ...one,
    reached: places.byFile(requests),
  }));
  return { covered, failed: answer.failed };
}

const coveredOf = ({ digest, covered }: Part, places: Places): Covered[] =>
  covered.map(({ reached: request, ...one }) => ({
    ...one,
    reached: places.numbers(request),
    stamp: stampOf(one.unit, digest),
  }));

/** Returns what a unit is known by while its tests and the source stay the same. Two tests can have one name. */
export const stampOf = (unit: Unit, digest: string): string => shortHash(`${digest} ${JSON.stringify(unit)}`);

type Places = ReturnType<typeof placesOf>;

/** From the numbers of changes in one build to their places in their files, and back. */
function placesOf({ mutants }: Bundled) {
  const first = new Map<string, number>();
  for (const { file, number } of mutants) if (!first.has(file)) first.set(file, number);
  return {
    byFile(numbers: readonly number[]): Record<string, number[]> {
      const places: Record<string, number[]> = {};
      for (const number of numbers) {
        const file = mutants[number]?.file ?? "";
        places[file] = [...(places[file] ?? []), number - (first.get(file) ?? 0)];
      }
      return places;
    },
    numbers: (places: Readonly<Record<string, readonly number[]>>): number[] =>
      Object.entries(places).flatMap(([file, own]) => own.map((place) => (first.get(file) ?? 0) + place)),
  };
}
