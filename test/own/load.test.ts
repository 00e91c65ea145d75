import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadStrategies, loadStrategy } from "../../cli/host/own-strategies.ts";
import type { OwnStrategy } from "../../src/own/state.ts";
import { aroundBook, ownKindHere, ownStrategyExample, passOver } from "../support/declared.ts";
import { tempFolder } from "../support/temp.ts";

const HEAD = `import { defineStrategy, Money, z } from "edgemaker";
type Unused = { readonly of: "types" };
`;

/** A file whose function has this body; it begins in line 6. */
function written(body: string, { name = "own", more = "" } = {}): string {
  const file = join(tempFolder(), `${name}.ts`);
  const text = `${HEAD}export default defineStrategy({
  name: "${name}", ${more}
  config: z.object({ size: z.number().default(1) }),
  orders({ config, quote, state, random, now }) {
${body}
  },
});
`;
  writeFileSync(file, text);
  return file;
}

const GOOD = '    return [{ id: "a", side: "buy", price: quote.mid.times(0.9), size: config.size }];';

function ran(file: string) {
  const kind = ownKindHere([loadStrategy(file)]);
  const strategy = ownStrategyExample("own", { options: {} });
  const stepped = kind.run(strategy, [], passOver(aroundBook("99.95", "100.05")));
  return { ...stepped, strategy: stepped.strategy as OwnStrategy };
}

describe("the files of a strategy", () => {
  const hashes = async (file: string) => {
    const [definition] = loadStrategies(dirname(file)).definitions;
    if (!definition?.fileHashes) throw new Error("it was loaded without its hashes");
    return definition.fileHashes;
  };
  const sha256 = (...files: string[]) =>
    createHash("sha256")
      .update(files.map((file) => readFileSync(file, "utf8")).join(""))
      .digest("hex");

  it("have the hash with which they were loaded, and another one once they differ", async () => {
    const file = written(GOOD);
    const [before, text] = [sha256(file), readFileSync(file, "utf8")];
    const read = await hashes(file);
    expect(await read()).toEqual([before]);
    // Writes within one tick of the disk's clock have the same time.
    const write = (next: string, seconds: number) => {
      writeFileSync(file, next);
      utimesSync(file, seconds, seconds);
    };
    write(text.replace("0.9", "0.8"), 1_800_000_000);
    expect(await read()).toEqual([before, sha256(file)]);
    write(text, 1_800_000_001);
    expect(await read()).toEqual([before]);
    // The same error as of a file that may not be read.
    rmSync(file);
    symlinkSync(file, file);
    expect(await read()).toEqual([before, "unreadable"]);
    rmSync(file);
    expect(await read()).toEqual([before, "missing"]);
  });

  it("count together with what they import", async () => {
    const file = written(`    return [{ id: "a", side: "buy", price: quote.mid.times(share), size: 1 }];`, {
      name: "importing",
    });
    const part = join(dirname(file), "part.ts");
    writeFileSync(part, "export const share = 0.9;\n");
    writeFileSync(file, `import { share } from "./part.ts";\n${readFileSync(file, "utf8")}`);
    const read = await hashes(file);
    const [before] = await read();
    writeFileSync(part, "export const share = 0.95;\n");
    expect(await read()).toEqual([before, expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  it("are read again only when their size or time has changed", async () => {
    const file = written(GOOD);
    const read = await hashes(file);
    const { atime, mtime } = statSync(file);
    utimesSync(file, atime, mtime);
    const [before] = await read();
    writeFileSync(file, readFileSync(file, "utf8").replace("0.9", "0.8"));
    utimesSync(file, atime, mtime);
    expect(await read()).toEqual([before]);
  });
});

describe("a strategy file", () => {
  it("loads and runs with the defaults of its config", () => {
    const { intents, strategy } = ran(written(GOOD));
    expect(strategy.lastError).toBeNull();
    expect(intents).toHaveLength(1);
  });

  it.each([
    ["throws", '    const from = 1;\n    throw new Error("boom");', "own.ts:8: boom"],
    [
      "throws in a function of its own",
      "    const f = () => quote.mid.dividedBy(0);\n    return f();",
      "own.ts:7: ",
    ],
    ["never ends", "    for (;;);", "own.ts:6: it ran for more than 2000 ms, and was ended"],
    [
      "returns NaN",
      '    return [{ id: "a", side: "buy", price: Number.NaN, size: 1 }];',
      "own.ts:6: order a: price is not a number",
    ],
    [
      "returns a price of 0",
      '    return [{ id: "a", side: "buy", price: 0, size: 1 }];',
      "own.ts:6: order a: price is not above zero",
    ],
    [
      "returns 10,000 orders",
      '    return Array.from({ length: 10_000 }, (_, i) => ({ id: String(i), side: "buy", price: 90, size: 1 }));',
      "own.ts:6: orders() returned 10000 orders",
    ],
    [
      "returns a state of 10 MB",
      '    return { orders: [], state: "x".repeat(10_000_000) };',
      "own.ts:6: orders() returned a state",
    ],
    [
      "returns what never ends when it is read",
      "    return { orders: [], state: { toJSON() { for (;;); } } };",
      "own.ts:6: it ran",
    ],
    ["throws what is no error", '    throw "text";', "own.ts:6: text"],
    ["reads the clock", "    Date.now();", "own.ts:7: the clock is absent"],
    ["draws at random", "    Math.random();", "own.ts:7: Math.random is absent"],
    ["asks the network", '    fetch("http://localhost");', "own.ts:7: fetch is not defined"],
    ["reads the environment", "    process.env.HOME;", "own.ts:7: process is not defined"],
  ])("that %s pauses only its strategy, with an error that names file and line", (_what, body, output) => {
    const { strategy, intents = [] } = ran(written(body));
    expect(strategy).toMatchObject({ status: "running", phase: "paused" });
    expect(strategy.lastError).toContain(output);
    expect(intents).toEqual([]);
  });

  it.each([
    ["is no TypeScript", 'import { z } from "edgemaker";\nconst a = ;', /broken\.ts:2:11: Unexpected ";"/],
    ["throws when it is loaded", 'import { z } from "edgemaker";\nz.object(null!.x);', /broken\.ts:2: /],
    ["never ends", 'import { z } from "edgemaker";\nfor (;;);', /broken\.ts:1: it ran for more than/],
    [
      "exports none",
      'import { z } from "edgemaker";\nexport const a = z;',
      /broken\.ts:1: export the strategy/,
    ],
    [
      "has a wrong name",
      `${HEAD}export default defineStrategy({ name: "No", config: z.object({}), orders: () => [] });`,
      /broken\.ts:3: name/,
    ],
    [
      "imports what is not there",
      'import { z } from "edgemaker";\nimport "../declared/none.ts";',
      /broken\.ts:2:8: Could not resolve/,
    ],
  ])("that %s is reported with file and line, and the others are loaded", (_what, text, pattern) => {
    const folder = tempFolder();
    writeFileSync(join(folder, "broken.ts"), text);
    writeFileSync(
      join(folder, "good.ts"),
      `${HEAD}export default defineStrategy({ name: "good", config: z.object({}), orders: () => [] });`,
    );
    writeFileSync(join(folder, "other.ts"), "throw new Error('it is no strategy');");
    const { definitions, failures } = loadStrategies(folder);
    expect(definitions.map(({ name }) => name)).toEqual(["good"]);
    expect(failures.map(({ message }) => message)).toEqual([expect.stringMatching(pattern)]);
  });

  it("is not run if another user owns it or can write it, nor a file that it imports", () => {
    const file = written(GOOD);
    const shared = join(dirname(file), "shared.ts");
    writeFileSync(shared, "export const size = 1;");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(HEAD, `${HEAD}import { size } from "./shared.ts"; size;\n`),
    );
    expect(loadStrategy(file).name).toBe("own");
    const open: [path: string, mode: number][] = [
      [file, 0o666],
      [shared, 0o646],
      [dirname(file), 0o777],
    ];
    for (const [path, mode] of open) {
      const before = statSync(path).mode;
      chmodSync(path, mode);
      expect(() => loadStrategy(file), path).toThrow(`other users can write ${path}`);
      chmodSync(path, before);
    }
    // Only root can give a file to another user.
    if (process.getuid?.() === 0) {
      chownSync(shared, 4711, 4711);
      expect(() => loadStrategy(file)).toThrow(`user 4711 owns ${shared}`);
      chownSync(shared, 0, 0);
    }
    expect(loadStrategy(file).name).toBe("own");
  });

  it("is named as not loaded if it lies in a subfolder or has another file type", () => {
    const folder = tempFolder();
    const text = readFileSync(written(GOOD), "utf8");
    mkdirSync(join(folder, "more"));
    writeFileSync(join(folder, "good.ts"), text.replace('"own"', '"good"'));
    for (const name of ["plain.js", "more/deep.ts"]) writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, "more/helper.ts"), 'import { Money } from "edgemaker"; Money.of(1);');
    const { definitions, failures } = loadStrategies(folder);
    expect(definitions.map(({ name }) => name)).toEqual(["good"]);
    expect(failures.map(({ message }) => message)).toEqual([
      expect.stringContaining("more/deep.ts is not loaded: put it into"),
      expect.stringContaining("plain.js is not loaded: put it into"),
    ]);
  });

  it("requires a unique strategy name", () => {
    const folder = tempFolder();
    for (const name of ["a", "b"])
      writeFileSync(
        join(folder, `${name}.ts`),
        `${HEAD}export default defineStrategy({ name: "same", config: z.object({}), orders: () => [] });`,
      );
    const { definitions, failures } = loadStrategies(folder);
    expect([definitions.length, failures.length]).toEqual([1, 1]);
    expect(failures[0]?.message).toContain("same is the name of");
  });
});
