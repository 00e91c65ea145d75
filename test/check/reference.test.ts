import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Settings } from "../../src/compose/config.ts";
import { isLabel, labelsOf, statusOf } from "../../src/kernel/errors.ts";
import { root } from "../support/bundle.ts";

const rowsOf = (page: string): readonly (readonly string[])[] =>
  readFileSync(join(root, page), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));

describe("docs/settings.md", () => {
  const rows = rowsOf("docs/settings.md").filter(([, name = ""]) => name.startsWith("EDGEMAKER_"));

  it("has one row for each setting", () => {
    expect(rows.map(([, name]) => name).sort()).toEqual(Object.keys(Settings.shape).sort());
  });

  it("shows the default of each setting that has one", () => {
    const defaults = Object.entries(Settings.parse({})).filter(([, value]) => String(value) !== "");
    const documented = new Map(rows.map(([, name = "", fallback]) => [name, fallback]));
    for (const [name, value] of defaults) expect(documented.get(name), name).toBe(String(value));
  });
});

describe("docs/errors.md", () => {
  it("has one row for each error label, with its status", () => {
    const rows = rowsOf("docs/errors.md").filter(([, label = ""]) => isLabel(label));
    const labels = [400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503].flatMap(labelsOf);
    expect(rows.map(([, label]) => label)).toEqual(labels);
    for (const [, label = "", status] of rows)
      expect(status, label).toBe(String(isLabel(label) && statusOf(label)));
  });
});
