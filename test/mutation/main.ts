import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createRandom } from "../simulation/random.ts";
import { type Bundled, bundle } from "./bundle.ts";
import { type Coverage, cover, digestOf, type Found } from "./coverage.ts";
import { hunter, type Result } from "./hunt.ts";
import type { Mutant } from "./instrument.ts";

const USAGE = `Changes the engine, the grid and the stores in one place at a time, and shows what notices it.

  --sample N [--seed N]   so many, drawn at random (without: all of them)
  --file PATH             only in files whose path contains this
  --seconds N             of one change at most, of all that might notice it (default 8)
  --minutes N             ends then, and goes on from there the next time (default 60)
  --workers N             processes (default 2)
  --again                 those that nothing has noticed are shown again
  --list                  those that nothing has noticed so far, and no more`;

const { values } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string" },
    file: { type: "string" },
    seconds: { type: "string" },
    minutes: { type: "string" },
    workers: { type: "string" },
    again: { type: "boolean" },
    list: { type: "boolean" },
    help: { type: "boolean" },
  },
});

const CACHE = "dist/mutation.json";
const COVERAGE = "dist/mutation-coverage.json";
const EQUIVALENT = "test/mutation/equivalent.md";

const read = <T>(path: string, fallback: T): T =>
  existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as T) : fallback;

/** What was noticed stays so until its file changes; what was not is shown again when anything has. */
interface Known extends Result {
  readonly file: string;
  readonly all: string;
}

const digests = new Map<string, string>();
const fileDigest = (file: string): string => {
  const text = digests.get(file) ?? createDigest(file);
  digests.set(file, text);
  return text;
};
const createDigest = (file: string): string =>
  createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 16);

const workers = Number(values.workers ?? 2);

async function main(): Promise<boolean> {
  const until = performance.now() + Number(values.minutes ?? 60) * 60_000;
  const isOver = () => performance.now() > until;
  const bundled = await bundle();
  const all = digestOf(["src", "test", "drizzle"]);
  const known = new Map(Object.entries(read<Record<string, Known>>(CACHE, {})));
  const equivalent = existsSync(EQUIVALENT) ? readFileSync(EQUIVALENT, "utf8") : "";
  const isNamed = ({ id }: { readonly id: string }) => equivalent.includes(id);

  const chosen = draw(bundled.mutants.filter(({ file }) => file.includes(values.file ?? "")));
  const coverage = await covering(bundled, all, isOver);
  if (!coverage) {
    console.log("what comes across what is not known whole yet: go on with the same command");
    return false;
  }
  for (const failed of coverage.failed)
    console.log(`notices nothing, as it fails without any change: ${failed}`);

  const isKnown = ({ id, file }: Mutant): boolean => {
    const before = known.get(id);
    if (!before || before.file !== fileDigest(file)) return false;
    return before.by !== undefined || (before.all === all && !values.again);
  };
  const waiting = values.list ? [] : chosen.filter((one) => !isKnown(one) && !isNamed(one));
  let done = 0;
  const hunt = hunter(bundled, coverage.covered, Number(values.seconds ?? 8) * 1000);
  const fileOf = new Map(bundled.mutants.map(({ id, file }) => [id, file]));
  await hunt(
    waiting,
    workers,
    (result) => {
      known.set(result.id, { ...result, file: fileDigest(fileOf.get(result.id) ?? ""), all });
      told(`${++done} of ${waiting.length}`);
      if (done % 20 === 0) save(known);
    },
    isOver,
  );
  save(known);
  return report(chosen, known, isNamed);
}

function draw(mutants: readonly Mutant[]): readonly Mutant[] {
  if (values.sample === undefined) return mutants;
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  console.log(`--sample ${values.sample} --seed ${seed} of ${mutants.length}`);
  const random = createRandom(seed);
  const drawn = mutants.map((mutant) => ({ mutant, place: random.share() }));
  return drawn
    .sort((a, b) => a.place - b.place)
    .slice(0, Number(values.sample))
    .map(({ mutant }) => mutant);
}

/** What notices what, as far as there was time to find it out; undefined where there was not enough. */
async function covering(bundled: Bundled, all: string, isOver: () => boolean): Promise<Coverage | undefined> {
  const before = read<{ all?: string; found?: Found }>(COVERAGE, {});
  const found = (before.all === all && before.found) || {};
  const keep = () => writeFileSync(COVERAGE, JSON.stringify({ all, found }));
  const isWhole = await cover(bundled, {
    workers,
    found,
    isOver,
    told: (left) => {
      told(`what comes across what: ${left} left`);
      if (left % 10 === 0) keep();
    },
  });
  keep();
  const parts = Object.values(found);
  if (!parts.some(({ covered }) => covered.length > 0))
    throw new Error(`nothing runs: ${parts[0]?.failed[0]}`);
  const covered = parts.flatMap((one) => one.covered);
  return isWhole ? { covered, failed: parts.flatMap(({ failed }) => failed) } : undefined;
}

const save = (known: ReadonlyMap<string, Known>): void =>
  writeFileSync(CACHE, JSON.stringify(Object.fromEntries(known)));

const told = (text: string): void => {
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
    console.log(`NOT NOTICED (${operator}, line ${line}, ${known.get(id)?.looked} looked) ${id}`);
  const score = ((shown.length - survived.length) / Math.max(1, shown.length)) * 100;
  const seconds = shown.reduce((sum, { id }) => sum + (known.get(id)?.seconds ?? 0), 0);
  console.log(
    `${shown.length} changes, ${shown.length - survived.length} noticed: ${score.toFixed(1)} %; ${named.length} more are named in ${EQUIVALENT}; ${chosen.length - shown.length - named.length} not shown yet; ${Math.round(seconds)} s of a process`,
  );
  return score >= 90;
}

if (values.help) console.log(USAGE);
else process.exitCode = (await main()) ? 0 : 1;
