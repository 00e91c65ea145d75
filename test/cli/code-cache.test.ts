import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadBundle } from "../../cli/build/code-cache.mjs";
import { tempFolder } from "../support/temp.ts";

/** A bundle that answers with what it was asked; its inner function is compiled when it first runs. */
const BUNDLE = `exports.runCommandLine = async (argv) => [argv].flat().reduce((sum, word) => sum + word.length, 0);`;

function bundleIn(folder: string): string {
  const file = join(folder, "main.cjs");
  writeFileSync(file, BUNDLE);
  return file;
}

const storedIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name !== "main.cjs");

const wordsIn = (folder: string): readonly string[] => {
  const [name = ""] = storedIn(folder);
  const [head = ""] = readFileSync(join(folder, name), "latin1").split("\n");
  return (JSON.parse(head) as { words: string[] }).words;
};

async function start(file: string, word: string): Promise<number> {
  const { runCommandLine, keepCompiled } = loadBundle(file);
  const code = await runCommandLine([word]);
  keepCompiled(word);
  return code;
}

it("keeps what was compiled, of each command that runs for the first time", async () => {
  const folder = tempFolder();
  const file = bundleIn(folder);
  expect(await start(file, "grid")).toBe(4);
  expect(storedIn(folder)).toEqual([
    `main.cjs-${process.version}-${process.platform}-${process.arch}.compiled`,
  ]);
  expect(await start(file, "backtest")).toBe(8);
  expect(await start(file, "grid")).toBe(4);
  expect(wordsIn(folder)).toEqual(["grid", "backtest"]);
});

it("starts without what is damaged, or of another bundle, and keeps it anew", async () => {
  const folder = tempFolder();
  const file = bundleIn(folder);
  await start(file, "grid");
  const [name = ""] = storedIn(folder);
  const whole = readFileSync(join(folder, name));
  for (const at of [3, whole.length >> 1, whole.length - 1]) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] as number) ^ 0xff;
    writeFileSync(join(folder, name), damaged);
    expect(await start(file, "backtest")).toBe(8);
    expect(wordsIn(folder)).toEqual(["backtest"]);
  }
  writeFileSync(join(folder, name), whole.subarray(0, whole.length - 20));
  expect(await start(file, "grid")).toBe(4);
  expect(readFileSync(join(folder, name)).length).toBe(whole.length);
  // V8 itself looks at the length of the source alone.
  writeFileSync(file, BUNDLE.replace("sum + word.length", "sum - word.length"));
  expect(await start(file, "grid")).toBe(-4);
});

it("starts where nothing can be kept", async () => {
  const folder = tempFolder();
  const file = bundleIn(folder);
  // Nobody writes over a folder that is not empty.
  const name = `main.cjs-${process.version}-${process.platform}-${process.arch}.compiled`;
  mkdirSync(join(folder, name, "full"), { recursive: true });
  expect(await start(file, "grid")).toBe(4);
  expect(storedIn(folder)).toEqual([name]);
});
