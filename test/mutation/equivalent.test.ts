import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { changes } from "./bundle.ts";
import { MAX_CHANGES } from "./switch.ts";

const ids = new Set(changes().mutants.map(({ id }) => id));
const blocks = readFileSync("test/mutation/equivalent.md", "utf8").split("```");
const named = blocks.filter((_, place) => place % 2 === 1).flatMap((block) => block.trim().split("\n"));

describe("the equivalent mutants", () => {
  it("match the current sources", () => {
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
    // Each has a place of its own in the switch.
    expect(ids.size).toBeLessThan(MAX_CHANGES);
  });

  it("are listed once, and each block gives a reason", () => {
    expect(named.filter((id, place) => named.indexOf(id) !== place)).toEqual([]);
    const reasons = blocks.filter((_, place) => place % 2 === 0).slice(0, -1);
    expect(reasons.filter((text) => !/\w\.\s*$/.test(text))).toEqual([]);
  });
});
