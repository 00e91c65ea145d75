import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../support/temp.ts";
import { type Budget, compare, readBudget, updated, versionsOf } from "./budget.ts";
import { codeSizes, fieldsOf, INSTALL, type Sizes } from "./measure.ts";

const git = (folder: string, ...args: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...args], { cwd: folder });

const row = (value: number, reason = "first count"): Budget => ({ files: { value, reason } });

/** A repository with one commit for each version of size.json. */
function repository(...versions: readonly Budget[]): string {
  const folder = tempFolder();
  git(folder, "init", "--quiet", "--initial-branch=main");
  for (const version of versions) commit(folder, version);
  return folder;
}

function commit(folder: string, version: Budget): void {
  writeFileSync(join(folder, "size.json"), JSON.stringify(version));
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "--allow-empty", "-m", "change");
}

const check = (folder: string, sizes: Sizes): readonly string[] =>
  compare(sizes, readBudget(folder), versionsOf(folder)).map(({ kind, text }) => `${kind}: ${text}`);

describe("the budget", () => {
  it("passes while no number grows", () => {
    expect(check(repository(row(10)), { files: 10 })).toEqual([]);
  });

  it("fails on growth", () => {
    expect(check(repository(row(10)), { files: 12 })).toEqual(["grew: files grew by 2 to 12"]);
  });

  it("fails on a number that size.json lacks", () => {
    expect(check(repository({}), { files: 12 })).toEqual(["grew: files grew by 12 to 12"]);
  });

  it("fails on growth with a raised limit and the same reason, until there is a new one", () => {
    const folder = repository(row(10), row(12));
    const fault = "unexplained: files was raised from 10 without a new reason";
    expect(check(folder, { files: 12 })).toEqual([fault]);
    commit(folder, row(11));
    commit(folder, row(12, "the fifth exchange"));
    expect(check(folder, { files: 12 })).toEqual([]);
  });

  it("reads a raised limit before it is committed", () => {
    const folder = repository(row(10));
    writeFileSync(join(folder, "size.json"), JSON.stringify(row(12)));
    expect(check(folder, { files: 12 })).toHaveLength(1);
    writeFileSync(join(folder, "size.json"), JSON.stringify(row(12, "the fifth exchange")));
    expect(check(folder, { files: 12 })).toEqual([]);
  });

  it.each(["", " ", "two\nlines"])("fails on the reason %j", (reason) => {
    expect(check(repository(row(10), row(12, reason)), { files: 12 })).toEqual([
      "unexplained: files has no reason of one line",
    ]);
  });

  it("passes growth of a merged branch with a new reason, and fails it without", () => {
    const merged = (reason: string): string => {
      const folder = repository(row(10));
      git(folder, "switch", "--quiet", "-c", "branch");
      commit(folder, row(11, "a first try"));
      commit(folder, row(12, reason));
      git(folder, "switch", "--quiet", "main");
      git(folder, "merge", "--quiet", "--no-ff", "-m", "merge", "branch");
      return folder;
    };
    expect(check(merged("the fifth exchange"), { files: 12 })).toEqual([]);
    expect(check(merged("first count"), { files: 12 })).toHaveLength(1);
  });

  it("passes when a number shrinks, with a hint", () => {
    const folder = repository(row(9, "nine"), row(12));
    expect(check(folder, { files: 11 })).toEqual(["shrank: files shrank to 11 of 12"]);
    commit(folder, row(11));
    expect(check(folder, { files: 11 })).toEqual([]);
  });

  it("does not check reasons in a shallow clone", () => {
    const folder = tempFolder();
    git(folder, "clone", "--quiet", "--depth", "1", `file://${repository(row(10), row(12))}`, "clone");
    const clone = join(folder, "clone");
    expect(versionsOf(clone)).toBeUndefined();
    expect(check(clone, { files: 12 })).toEqual([]);
    expect(check(clone, { files: 13 })).toHaveLength(1);
  });

  it("writes what grew with the new reason, and what shrank with its old one", () => {
    const budget: Budget = { ...row(10), lines: { value: 20, reason: "old" } };
    const sizes = { files: 12, lines: 15 };
    const written = updated(sizes, budget, compare(sizes, budget), "the fifth exchange");
    expect(written).toEqual({
      files: { value: 12, reason: "the fifth exchange" },
      lines: { value: 15, reason: "old" },
    });
    expect(compare(sizes, written, [budget])).toEqual([]);
  });

  it("allows the install a step of 50 MB, and keeps its limit where it is not counted", () => {
    const budget: Budget = { [INSTALL]: { value: 600, reason: "first count" } };
    const kindOf = (size: number) => compare({ [INSTALL]: size }, budget)[0]?.kind;
    expect([601, 600, 540, 526, 525].map(kindOf)).toEqual([
      "grew",
      undefined,
      undefined,
      undefined,
      "shrank",
    ]);
    expect(updated({}, budget, [], "")).toEqual(budget);
    const grown = { [INSTALL]: 601 };
    expect(updated(grown, budget, compare(grown, budget), "new")[INSTALL]).toEqual({
      value: 650,
      reason: "new",
    });
  });
});

const sizesOf = (files: Readonly<Record<string, string>>) =>
  codeSizes(new Map(Object.entries(files)), { alias: ["./src/a.ts"] });

describe("the count", () => {
  it.each([
    ["a, b", 'call(a, "b c", [1, 2]);', 'call(\n  a,\n  "b c", // why\n  [1, 2],\n);', 13],
    ["types", "type A = { a: B | C; b: D<E> };", "type A =\n  { a: | B | C;\n b: D<E,>;\n};", 18],
    ["parentheses", "const a = () => (b ? c : d);", "const a = () =>\n  b\n    ? c\n    : d;", 12],
    ["JSX", "const a = <b>one {c}</b>;", 'const a = (\n  <b>\n    one{" "}\n    {c}\n  </b>\n);', 15],
    ["literals", "f(`a // c`, /[,)]/g);", "f(\n  `a // c`,\n  /[,)]/g,\n);", 7],
  ])("finds as many tokens in %s on one line as on many", (_what, short, long, tokens) => {
    expect(sizesOf({ "a.tsx": short }).tokens).toBe(tokens);
    expect(sizesOf({ "a.tsx": long }).tokens).toBe(tokens);
  });

  it("finds files that one other imports, and exported names", () => {
    const sizes = sizesOf({
      "src/a.ts": "export const a = 1, b = 2;\nexport type A = typeof a;\n",
      "src/b.ts": 'import { a } from "alias";\nexport { a as c };\n',
      "src/c.ts": 'import { a } from "./b.ts";\nexport default () => import("./d.ts").then(() => a);\n',
      "src/d.ts": 'import type { A } from "./a.ts";\nexport * from "./c.ts";\n',
    });
    expect(sizes).toMatchObject({ files: 4, lines: 8, "files used by one other": 2, "exported symbols": 6 });
  });

  it("finds fields without fields of their own, and of alternatives those of the longest", () => {
    const two = { properties: { a: {}, b: {} } };
    expect(
      fieldsOf({ properties: { rows: { items: two }, one: { anyOf: [two, { type: "null" }] }, x: {} } }),
    ).toBe(5);
  });
});
