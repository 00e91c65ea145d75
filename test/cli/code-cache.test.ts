import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadBundle } from "../../cli/build/code-cache.cjs";
import { tempFolder } from "../support/temp.ts";

/** A bundle that answers with what it was asked, or by a part of its own; its inner functions are compiled when they first run. */
const BUNDLE = `({main: function (load, later) {
  const length = (argv) => [argv].flat().reduce((sum, word) => sum + word.length, 0);
  return { runCommandLine: async (argv) => argv[1] === "late" ? (await later("late")).twice(length(argv[0])) : length(argv) };
}})`;
const LATE = `({late: function () { return { twice: (number) => 2 * number }; }})`;

function bundleIn(folder: string): string {
  const file = join(folder, "main.cjs");
  writeFileSync(file, BUNDLE);
  writeFileSync(join(folder, "late.cjs"), LATE);
  return file;
}

// This process may have options of its own.
const ownOptions = process.execArgv;
beforeEach(() => {
  process.execArgv = [];
  vi.stubEnv("NODE_OPTIONS", undefined);
});
afterEach(() => {
  process.execArgv = ownOptions;
  vi.unstubAllEnvs();
});

const storeOf = (word: string): string =>
  `main.cjs-${process.version}-${process.platform}-${process.arch}-${word}.compiled`;

const storedIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => !["main.cjs", "late.cjs"].includes(name));

const filesIn = (store: string): readonly string[] => {
  const [head = ""] = readFileSync(store, "latin1").split("\n");
  const [, files] = JSON.parse(head) as [string, [string, string, number][]];
  return files.map(([name]) => name);
};

async function start(file: string, ...words: readonly [string, string?]): Promise<number> {
  const { runCommandLine, keepCompiled } = loadBundle(file, words[0]);
  const code = await runCommandLine(words.filter((word) => word !== undefined));
  keepCompiled();
  return code;
}

it("keeps what was compiled, of each command apart", async () => {
  const folder = tempFolder();
  const file = bundleIn(folder);
  expect(await start(file, "grid")).toBe(4);
  expect(storedIn(folder)).toEqual([storeOf("grid")]);
  const kept = readFileSync(join(folder, storeOf("grid")));
  expect(await start(file, "backtest")).toBe(8);
  expect(await start(file, "grid")).toBe(4);
  expect(storedIn(folder)).toEqual([storeOf("backtest"), storeOf("grid")]);
  expect(readFileSync(join(folder, storeOf("grid")))).toEqual(kept);
});

it("keeps apart what other options of Node compiled, which V8 refuses without them", async () => {
  const folder = tempFolder();
  const file = bundleIn(folder);
  await start(file, "grid");
  const kept = readFileSync(join(folder, storeOf("grid")));
  process.execArgv = ["--stack-size=500"];
  await start(file, "grid");
  expect(storedIn(folder)).toHaveLength(2);
  vi.stubEnv("NODE_OPTIONS", "--expose-gc");
  await start(file, "grid");
  expect(storedIn(folder)).toHaveLength(3);
  process.execArgv = [];
  await start(file, "grid");
  expect(storedIn(folder)).toHaveLength(4);
  expect(readFileSync(join(folder, storeOf("grid")))).toEqual(kept);
});

it("keeps what a command asks for later, once it does, and nothing of what has changed", async () => {
  const folder = tempFolder();
  const file = bundleIn(folder);
  const store = join(folder, storeOf("grid"));
  await start(file, "grid");
  expect(filesIn(store)).toEqual(["main"]);
  expect(await start(file, "grid", "late")).toBe(8);
  expect(filesIn(store)).toEqual(["main", "late"]);
  const kept = readFileSync(store);
  expect(await start(file, "grid")).toBe(4);
  expect(readFileSync(store)).toEqual(kept);
  writeFileSync(join(folder, "late.cjs"), LATE.replace("2 *", "3 *"));
  expect(await start(file, "grid", "late")).toBe(12);
  expect(readFileSync(store)).not.toEqual(kept);
});

it("keeps nothing of what is no command's name", async () => {
  const folder = tempFolder();
  expect(await start(bundleIn(folder), "../grid")).toBe(7);
  expect(storedIn(folder)).toEqual([]);
});

it("starts without what is damaged, or of another bundle, and keeps it anew", async () => {
  const folder = tempFolder();
  const file = bundleIn(folder);
  await start(file, "grid");
  const name = storeOf("grid");
  const whole = readFileSync(join(folder, name));
  for (const at of [3, whole.length >> 1, whole.length - 1]) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] as number) ^ 0xff;
    writeFileSync(join(folder, name), damaged);
    expect(await start(file, "grid")).toBe(4);
    expect(readFileSync(join(folder, name))).not.toEqual(damaged);
  }
  const half = whole.subarray(0, whole.length >> 1);
  writeFileSync(join(folder, name), half);
  expect(await start(file, "grid")).toBe(4);
  expect(readFileSync(join(folder, name)).length).toBeGreaterThan(half.length);
  // V8 itself looks at the length of the source alone.
  writeFileSync(file, BUNDLE.replace("sum + word.length", "sum - word.length"));
  expect(await start(file, "grid")).toBe(-4);
});

it("keeps anew what V8 refuses, as it does where its flags have changed", async () => {
  const folder = tempFolder();
  const file = bundleIn(folder);
  // One that this process has not compiled: V8 would look at nothing then.
  const source = `${BUNDLE} // refused`;
  writeFileSync(file, source);
  const sha256 = (...parts: readonly string[]) => createHash("sha256").update(parts.join("")).digest("hex");
  const compiled = "compiled by another V8";
  const files = JSON.stringify([["main", sha256(source), compiled.length]]);
  const store = join(folder, storeOf("grid"));
  const refused = `["${sha256(files, compiled)}",${files}]\n${compiled}`;
  writeFileSync(store, refused);
  expect(await start(file, "grid")).toBe(4);
  expect(readFileSync(store).length).toBeGreaterThan(refused.length);
});

it("starts where nothing can be kept", async () => {
  const folder = tempFolder();
  const file = bundleIn(folder);
  // Nobody writes over a folder that is not empty.
  mkdirSync(join(folder, storeOf("grid"), "full"), { recursive: true });
  expect(await start(file, "grid")).toBe(4);
  expect(storedIn(folder)).toEqual([storeOf("grid")]);
});
