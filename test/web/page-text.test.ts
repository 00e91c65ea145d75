import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { yearlyOfAll } from "../../src/web/format.ts";
import { pageText } from "../../src/web/page-text.ts";
import { root } from "../support/bundle.ts";

describe("a message on the page", () => {
  it.each([
    [
      "earns nothing until the price returns; `edgemaker grid edit grid-1 --lower … --upper …` moves it",
      "earns nothing until the price returns; “Edit” moves it",
    ],
    ["nothing new is placed until `edgemaker grid resume grid-1`", "nothing new is placed until “Resume”"],
    ["to exit now, run edgemaker grid stop <id> --sell-base", "to exit now, run “Stop and sell”"],
    ["Run `edgemaker exchange test kraken`", "Run “Test” on the page Access"],
    ["start `edgemaker serve`, or check the log", "start `edgemaker serve`, or check the log"],
  ])("names the action of the page instead of a command: %s", (message, shown) => {
    expect(pageText(message)).toBe(shown);
    expect(JSON.parse(pageText(JSON.stringify({ message, id: 1 })))).toEqual({ message: shown, id: 1 });
  });

  it.each(["src/grid/operations/status.ts", "src/grid/plan/notices.ts", "src/engine/pass/pass.ts"])(
    "names no command of a notice in %s",
    (file) => {
      const commands =
        readFileSync(join(root, file), "utf8")
          .replace(/examples: \[[^\]]*\]/g, "")
          .match(/edgemaker (grid|quote|exchange|kill|limits|notify) [^`\\;]+/g) ?? [];
      expect(commands.length).toBeGreaterThan(0);
      expect(commands.map(pageText).filter((text) => text.includes("edgemaker"))).toEqual([]);
    },
  );
});

describe("the yearly rate of several grids", () => {
  const DAY = 86_400_000;
  it("weighs each by its capital and time, and is unknown within the first day", () => {
    const year = { profit: 10, capital: 100, millis: 365 * DAY };
    expect(yearlyOfAll([year])).toBeCloseTo(10);
    expect(yearlyOfAll([year, { profit: 0, capital: 100, millis: 365 * DAY }])).toBeCloseTo(5);
    expect(yearlyOfAll([{ profit: 1, capital: 100, millis: 36.5 * DAY }])).toBeCloseTo(10);
    expect(yearlyOfAll([{ profit: 1, capital: 100, millis: DAY - 1 }])).toBeUndefined();
    expect(yearlyOfAll([])).toBeUndefined();
  });
});
