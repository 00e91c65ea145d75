import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { countRetired, LEFT, retiredWords, textsOf } from "./english.ts";

const filesOf = (...patterns: readonly string[]): readonly string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...patterns], {
    cwd: root,
    encoding: "utf8",
  })
    .trim()
    .split("\n");

const read = (name: string): string => readFileSync(join(root, name), "utf8");

const SOURCES = filesOf("src/*.ts", "src/*.tsx", "cli/*.ts");

describe("plain English", () => {
  it.each(filesOf("*.md").filter((name) => !name.startsWith("test/")))(
    "has no retired word in %s",
    (name) => {
      const lines = read(name).split("\n");
      const faults = lines.flatMap((line, at) =>
        retiredWords(line).map((fault) => `${name}:${at + 1} ${fault}`),
      );
      expect(faults).toEqual([]);
    },
  );

  it("has no retired word in messages, labels, help and descriptions", () => {
    const faults = SOURCES.flatMap((name) =>
      textsOf(name, read(name)).flatMap((text) =>
        retiredWords(text).map((fault) => `${name} ${fault}: ${text}`),
      ),
    );
    expect(faults).toEqual([]);
  });

  it.each([
    "The channel is told",
    "orders by hand",
    "what rests stays",
    "made anew",
    "prints the greatest fall",
  ])("finds the planted %j", (planted) => {
    expect(retiredWords(planted)).toHaveLength(1 + Number(planted.includes("is told")));
    expect(textsOf("planted.tsx", `say("${planted}"); const label = <p>${planted}</p>;`)).toEqual([
      planted,
      planted,
    ]);
  });

  it("leaves the words of the field alone", () => {
    expect(retiredWords("The server cancels all open orders and books their fills.")).toEqual([]);
  });

  it("finds a retired word in an identifier, but ignores strings and comments", () => {
    const found = countRetired('const plan_told = askedFor("told"); // told');
    expect(Object.fromEntries(found)).toEqual({ told: 1, asked: 1 });
  });

  it("adds no identifier with a retired word", () => {
    const counts = countRetired(SOURCES.map(read).join("\n"));
    const more = Object.keys(LEFT).filter((word) => (counts.get(word) ?? 0) > (LEFT[word] ?? 0));
    expect(more.map((word) => `${word}: ${counts.get(word)} of at most ${LEFT[word]}`)).toEqual([]);
  });
});
