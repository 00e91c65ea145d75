import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROBES } from "../pentest/probes.ts";
import { root } from "../support/bundle.ts";

const document = readFileSync(join(root, "docs/security.md"), "utf8");
const rows = [...document.matchAll(/^\| (\d+) \| (P?) ?\| (.+?) \| (.+) \|$/gm)].map(
  ([, number, seen, control, tests = ""]) => ({
    number: Number(number),
    isSeen: seen === "P",
    control,
    files: [...tests.matchAll(/`(test\/[\w./-]+)`/g)].map(([, file = ""]) => file),
  }),
);

describe("the table of controls", () => {
  it("has a row for each of the nineteen", () => {
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 19 }, (_one, i) => i + 1));
  });

  it.each(rows)("names tests that are there for $number: $control", ({ files }) => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect(existsSync(join(root, file)), file).toBe(true);
      expect(readFileSync(join(root, file), "utf8"), file).toMatch(/\b(it|describe|fail)\b/);
    }
  });

  it("says which of them show from outside", () => {
    const seen = [...new Set(PROBES.map(({ control }) => control))].sort((a, b) => a - b);
    expect(rows.filter(({ isSeen }) => isSeen).map(({ number }) => number)).toEqual(seen);
  });
});
