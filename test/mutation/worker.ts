// A warm process: it runs tests and simulations, with one change turned on or none.
import { join } from "node:path";
import { type File, startTests, type Task, type Test, type VitestRunner } from "@vitest/runner";
import { simulate } from "../simulation/run.ts";
import { makeFolder } from "../support/temp.ts";
import { prove } from "./guards/guards.ts";
import { takeRequested, turnOff, turnOn } from "./switch.ts";
import type { Ask, Covered, Reported, Unit } from "./units.ts";

/** Where the tests lie, from who has started this process. */
const places = JSON.parse(process.env.TESTS ?? "{}") as Record<string, string>;

const CONFIG: VitestRunner["config"] = {
  root: process.cwd(),
  setupFiles: [],
  name: undefined,
  passWithNoTests: true,
  testNamePattern: undefined,
  allowOnly: false,
  sequence: { seed: 0, hooks: "stack", setupFiles: "list" },
  chaiConfig: undefined,
  maxConcurrency: 1,
  // Who has started this process ends it when it hangs.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  retry: 0,
  includeTaskLocation: false,
  tags: [],
  tagsFilter: undefined,
  strictTags: false,
};

let loads = 0;

/** Milliseconds of a processor that this process has used. */
function busyMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function runTests(file: string, hooks: Partial<VitestRunner>, testIds?: string[]): Promise<File> {
  const runner: VitestRunner = {
    config: CONFIG,
    importFile: () => import(`${places[file]}?${loads++}`),
    ...hooks,
  };
  const filepath = join(process.cwd(), file);
  const [ran] = await startTests([{ filepath, ...(testIds ? { testIds } : {}) }], runner);
  return ran as File;
}

const testsOf = (task: Task): Test[] => (task.type === "test" ? [task] : task.tasks.flatMap(testsOf));

function failureOf(file: File): string | undefined {
  const failed = [file, ...testsOf(file)].find(({ result }) => result?.state === "fail");
  if (failed) return `${failed.name}: ${failed.result?.errors?.[0]?.message ?? "failed"}`;
  return someFailed(file) ? "a hook failed" : undefined;
}

const someFailed = (task: Task): boolean =>
  task.result?.state === "fail" || (task.type === "suite" && task.tasks.some(someFailed));

/** Runs all tests of a file and tells which changes each has come across. */
async function coverFile(file: string): Promise<Reported> {
  const covered: Covered[] = [];
  const failed: string[] = [];
  // What hooks and the file itself ask for, every test of it rests on.
  const shared: number[] = [];
  takeRequested();
  const began = busyMillis();
  let [before, beganTest] = [0, began];
  const ran = await runTests(file, {
    onBeforeTryTask: () => {
      shared.push(...takeRequested());
      if (covered.length + failed.length === 0) before = busyMillis() - began;
      beganTest = busyMillis();
    },
    onAfterRunTask: ({ id, name, result }) => {
      const requests = takeRequested();
      const unit: Unit = { kind: "test", file, test: id, name };
      const busy = before + busyMillis() - beganTest;
      if (result?.state === "pass")
        covered.push({ unit, millis: result.duration ?? 0, busy, reached: requests });
      else if (result?.state === "fail") failed.push(`${file} > ${name}: ${result.errors?.[0]?.message}`);
    },
  });
  if (ran.result?.state === "fail" && testsOf(ran).length === 0)
    failed.push(`${file}: ${ran.result.errors?.[0]?.message}`);
  shared.push(...takeRequested());
  turnOff();
  const all = (own: readonly number[]) => [...new Set([...own, ...shared])];
  return { kind: "covered", covered: covered.map((one) => ({ ...one, reached: all(one.reached) })), failed };
}

async function coverUnit(unit: Unit): Promise<Reported> {
  takeRequested();
  const [began, beganBusy] = [performance.now(), busyMillis()];
  const failure = await lookAt(unit);
  const [millis, busy] = [performance.now() - began, busyMillis() - beganBusy];
  const covered = [{ unit, millis, busy, reached: takeRequested() }];
  turnOff();
  return failure
    ? { kind: "covered", covered: [], failed: [failure] }
    : { kind: "covered", covered, failed: [] };
}

const TICKS = 200;
const MIRRORED_TICKS = 40;

/** What is wrong as this unit sees it. */
async function lookAt(unit: Unit): Promise<string | undefined> {
  if (unit.kind === "test") return failureOf(await runTests(unit.file, {}, [unit.test]));
  if (unit.kind === "seed") {
    const { seed, mirrored } = unit;
    const { violations } = await simulate({ seed, mirrored, ticks: mirrored ? MIRRORED_TICKS : TICKS });
    return violations[0]?.what;
  }
  const folder = makeFolder();
  try {
    const url = `file:${join(folder.path, "deed.db")}`;
    const { holds, was } = await prove({ name: unit.name, url, own: "gn", isWithout: false });
    return holds ? undefined : `came to ${String(was)}`;
  } finally {
    folder.remove();
  }
}

async function tryOne({ unit, mutant }: Ask & { kind: "try" }): Promise<Reported> {
  if (mutant === undefined) turnOff();
  else turnOn(mutant);
  const began = busyMillis();
  const failure = await lookAt(unit).catch((error: unknown) => String(error));
  turnOff();
  return { kind: "tried", failure, busy: busyMillis() - began };
}

const answer = (ask: Ask): Promise<Reported> => {
  if (ask.kind === "cover") return coverFile(ask.file);
  return ask.kind === "try" ? tryOne(ask) : coverUnit(ask.unit);
};

process.on("message", async (ask: Ask) => {
  process.send?.(await answer(ask));
});
process.on("disconnect", () => process.exit());
process.send?.({ kind: "covered", covered: [], failed: [] } satisfies Reported);
