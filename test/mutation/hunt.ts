import type { Bundled } from "./bundle.ts";
import { type Child, openChild } from "./child.ts";
import type { Mutant } from "./instrument.ts";
import { type Covered, nameOf, type Unit } from "./units.ts";

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

/** How long a unit may take with a change that it takes 1 ms without. */
const longest = (millis: number): number => 15_000 + 12 * millis;
/** A process that has seen so many changes is given up. */
const CHANGES = 40;

const partsOf = (path: string): string[] =>
  path
    .replace(/(\.test)?\.ts$/, "")
    .split("/")
    .slice(1);

/** How much sooner a test is asked about a file: it counts the folders that both lie in, and the name that both have. */
function nearness(unit: Unit, file: string): number {
  if (unit.kind !== "test") return 1;
  const [test, source] = [partsOf(unit.file), partsOf(file)];
  const shared = test.findIndex((part, i) => part !== source[i]);
  const folders = shared < 0 ? test.length : shared;
  return (1 + folders) * (test.at(-1) === source.at(-1) ? 20 : 1);
}

/** Shows changes to what comes across them: first to what is near and quick, and has noticed most of the file's so far. */
export function hunter(
  bundled: Bundled,
  covered: readonly Covered[],
  { most, before }: { most: number; before: (id: string) => Result | undefined },
) {
  /** How often each has noticed a change of a file. */
  const noticed = new Map<string, Map<Covered, number>>();
  const byMutant = new Map<number, Covered[]>();
  const byFile = new Map<string, Set<Covered>>();
  for (const one of covered)
    for (const number of one.asked) {
      byMutant.set(number, [...(byMutant.get(number) ?? []), one]);
      const { file } = bundled.mutants[number] as Mutant;
      byFile.set(file, (byFile.get(file) ?? new Set()).add(one));
    }

  const weight = (one: Covered, file: string): number =>
    (one.busy + 20) / (nearness(one.unit, file) * (1 + (noticed.get(file)?.get(one) ?? 0)));
  const lookers = ({ number, file, isLasting }: Mutant): Covered[] => {
    // A file of constants alone is asked for nothing: whatever runs may rest on it.
    const all = isLasting ? (byFile.get(file) ?? covered) : (byMutant.get(number) ?? []);
    return [...all].sort((a, b) => weight(a, file) - weight(b, file));
  };
  const credit = (one: Covered, file: string): void => {
    const ofFile = noticed.get(file) ?? new Map<Covered, number>();
    noticed.set(file, ofFile.set(one, (ofFile.get(one) ?? 0) + 1));
  };

  async function fails(
    child: Child,
    unit: Unit,
    mutant: Mutant,
    millis: number,
  ): Promise<{ readonly failure: string | undefined; readonly busy: number }> {
    const always = mutant.isLasting ? mutant.number : undefined;
    const ask = { kind: "try", unit, mutant: mutant.number } as const;
    const answer = await child.ask(ask, longest(millis), always);
    if (typeof answer === "string") return { failure: answer, busy: 0 };
    return answer.kind === "tried" ? answer : { failure: undefined, busy: 0 };
  }

  /** What fails with a change has to hold without it, in the same process: another change may have left something behind. */
  async function holds(child: Child, unit: Unit, millis: number): Promise<boolean> {
    const answer = await child.ask({ kind: "try", unit, mutant: undefined }, longest(millis));
    return typeof answer !== "string" && answer.kind === "tried" && answer.failure === undefined;
  }

  async function hunt(child: Child, mutant: Mutant): Promise<Result> {
    const began = performance.now();
    const seconds = () => Math.round((performance.now() - began) / 100) / 10;
    if (mutant.isLasting) await child.end();
    let [looked, spent] = [0, 0];
    const blind = new Set(before(mutant.id)?.blind);
    for (const one of lookers(mutant)) {
      if (blind.has(one.stamp ?? "")) continue;
      if (looked > 0 && spent + one.busy > most) break;
      looked++;
      const { unit, millis } = one;
      const { failure, busy } = await fails(child, unit, mutant, millis);
      spent += busy;
      if (failure === undefined) {
        blind.add(one.stamp ?? "");
        continue;
      }
      const isFresh = mutant.isLasting || failure === "ended" || failure === "too long";
      if (isFresh || !(await holds(child, unit, millis))) {
        await child.end();
        // Twice, each in a process of its own: then it is not the machine that was slow.
        if ((await fails(child, unit, mutant, millis)).failure === undefined) continue;
        await child.end();
      }
      credit(one, mutant.file);
      return { id: mutant.id, by: `${nameOf(unit)}: ${failure.slice(0, 200)}`, looked, seconds: seconds() };
    }
    if (mutant.isLasting) await child.end();
    return { id: mutant.id, looked: blind.size, blind: [...blind], seconds: seconds() };
  }

  /** Hunts them all, on so many processes, telling each result. */
  return async (
    mutants: readonly Mutant[],
    workers: number,
    told: (result: Result) => void,
    isOver: () => boolean,
  ) => {
    const waiting = [...mutants];
    const work = async () => {
      const child = openChild(bundled);
      let seen = 0;
      for (let next = waiting.shift(); next && !isOver(); next = waiting.shift()) {
        if (++seen % CHANGES === 0) await child.end();
        told(await hunt(child, next));
      }
      await child.end();
    };
    await Promise.all(Array.from({ length: workers }, work));
  };
}
