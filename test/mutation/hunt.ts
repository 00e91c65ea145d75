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
/** So many are believed to be noticed until what noticed them is asked again without any change. */
const BELIEVED = 10;

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
