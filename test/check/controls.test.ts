import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ATTACKS } from "../pentest/attacks.ts";
import { COMMAND_ATTACKS } from "../pentest/commands.ts";
import { PROBES } from "../pentest/probes.ts";
import { root } from "../support/bundle.ts";

const document = readFileSync(join(root, "docs/security.md"), "utf8");
const rows = [...document.matchAll(/^\| (\d+) \| (P?) ?(A?) ?\| (.+?) \| (.+) \|$/gm)].map(
  ([, number, probed, attacked, control, tests = ""]) => ({
    number: Number(number),
    isProbed: probed === "P",
    isAttacked: attacked === "A",
    control,
    files: [...tests.matchAll(/`(test\/[\w./-]+)`/g)].map(([, file = ""]) => file),
  }),
);

describe("the table of controls", () => {
  it("has a row for each of the nineteen", () => {
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_one, i) => i + 1));
  });

  it.each(rows)("names existing tests for $number: $control", ({ files }) => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect(existsSync(join(root, file)), file).toBe(true);
      expect(readFileSync(join(root, file), "utf8"), file).toMatch(/\b(it|describe|fail)\b/);
    }
  });

  it("marks the controls that the pentest probes and attacks", () => {
    const numbers = (list: readonly { readonly control: number }[]) =>
      [...new Set(list.map(({ control }) => control))].sort((a, b) => a - b);
    const marked = (mark: "isProbed" | "isAttacked") =>
      rows.filter((row) => row[mark]).map(({ number }) => number);
    expect(marked("isProbed")).toEqual(numbers(PROBES));
    expect(marked("isAttacked")).toEqual(numbers([...ATTACKS, ...COMMAND_ATTACKS]));
  });
});
