import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { KINDS } from "../../src/kinds.ts";

/** Folders that serve every strategy alike. */
const SHARED = ["src/engine", "src/lifecycle", "src/limits", "src/history", "src/model"];
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));

const names = KINDS.flatMap(({ name, group }) => [name, group]);
/** A comparison with the name of a definition, or an import from its folder. */
const KNOWS = new RegExp(
  `(?:===|!==|case|includes\\() *"(?:${names.join("|")})"|from "(?:\\.\\./)+(?:grid|quote|own)/`,
);
/** Sides and assets of a market are no definitions. */
const isOfMarket = (line: string): boolean => /(side|buyFeeIn|asset|feeIn)\b.*"quote"/.test(line);

describe("the code of every strategy", () => {
  it.each(SHARED)("knows no definition by name: %s", (folder) => {
    const files = filesIn(folder);
    expect(files.length).toBeGreaterThan(0);
    const found = files.flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => KNOWS.test(line) && !isOfMarket(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });

  it("is searched for what it must not have", () => {
    const lines = [
      'if (kind === "grid") return;',
      'import { asGrid } from "../../grid/kind.ts";',
      'case "declared":',
      'if (market.buyFeeIn !== "quote") return;',
    ];
    expect(lines.map((line) => KNOWS.test(line) && !isOfMarket(line))).toEqual([true, true, true, false]);
  });
});
