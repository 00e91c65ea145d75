import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadStrategy } from "../../cli/host/own-strategies.ts";
import { backtest, simulate } from "../../cli/testing/package.ts";
import { backtestStrategy } from "../../src/backtest/position/testing.ts";
import { type Declared, defineStrategy, z } from "../../src/own/package.ts";
import { makeFolder } from "../support/temp.ts";

const FILE = "test/own/testing-rules.test.ts";
const PAST = { config: {}, prices: [60_000, 60_100], quote: 1000, tickInterval: 60_000 };

const ownStrategy = (orders: () => Declared) => defineStrategy({ name: "own", config: z.object({}), orders });

/** Returns the text of the line of this file that an error names, and what follows. */
function placeIn(error: string | null | undefined): readonly string[] {
  const [, line, message = ""] = new RegExp(`${FILE}:(\\d+): (.*)$`).exec(error ?? "") ?? [];
  return [readFileSync(FILE, "utf8").split("\n")[Number(line) - 1]?.trim() ?? "", message];
}

/** Code that the server refuses; most of it reads what is absent there. */
const DEEDS: Readonly<Record<string, () => unknown>> = {
  clock: () => Date.now(),
  date: () => new Date(),
  random: () => Math.random(),
  fetch: () => fetch("https://example.com"),
  timer: () => setTimeout(() => undefined, 1),
  process: () => process.env,
  performance: () => performance.now(),
  buffer: () => Buffer.alloc(1),
  array: () => new Float64Array(1),
  clone: () => structuredClone({}),
  url: () => new URL("https://example.com"),
};

it("refuses in a test what the server refuses, with its sentence", () => {
  const { path, remove } = makeFolder();
  onTestFinished(remove);
  for (const [name, deed] of Object.entries(DEEDS)) {
    const file = join(path, `${name}.ts`);
    const code = `const deed = ${deed};
export default defineStrategy({ name: "own", config: z.object({}), orders() { deed(); return []; } });`;
    writeFileSync(file, `import { defineStrategy, z } from "edgemaker";\n${code}`);
    const sentence = (error: string | null) => error?.replace(/^\S+:\d+: /, "");
    const served = sentence(backtestStrategy(loadStrategy(file), PAST).error);
    const tested = backtest(
      ownStrategy(() => {
        deed();
        return [];
      }),
      PAST,
    ).error;
    expect([name, sentence(tested)]).toEqual([name, served]);
    expect(tested).toMatch(new RegExp(`^${FILE}:\\d+: `));
  }
});

it("refuses it in a schema and an upgrade, and nowhere else", async () => {
  const config = z.object({ draw: z.number().transform(() => Math.random()) });
  const own = defineStrategy({ name: "own", config, orders: () => [] });
  expect(() => backtest(own, { ...PAST, config: { draw: 1 } })).toThrow("Math.random is absent");
  await expect(simulate(own, { config: { draw: 1 } })).rejects.toThrow("Math.random is absent");
  const before = Object.getOwnPropertyDescriptor(globalThis, "fetch");
  const running = simulate(
    ownStrategy(() => []),
    { config: {}, passes: 3 },
  );
  expect([typeof fetch, Number.isFinite(Date.now()), Math.random() < 1]).toEqual(["function", true, true]);
  const { fetch: real } = globalThis;
  const stub = async () => new Response();
  globalThis.fetch = stub;
  await running;
  expect(fetch).toBe(stub);
  globalThis.fetch = real;
  expect(Object.getOwnPropertyDescriptor(globalThis, "fetch")).toEqual(before);
});

it("names the file and the line of a strategy that throws, or returns what is no order", async () => {
  const own = ownStrategy(() => {
    throw new Error("no price");
  });
  const expected = ['throw new Error("no price");', "no price"];
  expect(placeIn(backtest(own, PAST).error)).toEqual(expected);
  const { problems } = await simulate(own, { config: {}, passes: 3 });
  expect(placeIn(problems[0])).toEqual(expected);
  const invalid = defineStrategy({ name: "own", config: z.object({}), orders: () => [{ id: "a" } as never] });
  expect(placeIn(backtest(invalid, PAST).error)).toEqual([
    expect.stringContaining("const invalid = defineStrategy("),
    "order a: side is neither buy nor sell",
  ]);
});
