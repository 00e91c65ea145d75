import { expect, it } from "vitest";
import { changedFiles, testFiles } from "./bundle.ts";

it("changes programs, pages and what reads the exchanges", () => {
  const all = new Set(changedFiles());
  const files = [
    "cli/host/timer.ts",
    "src/adapters/streams/kraken.ts",
    "src/candles/merge.ts",
    "src/plans/operations/plans.ts",
    "src/ports/definition.ts",
    "src/quality/tally.ts",
    "src/report/page.tsx",
    "src/web/live.ts",
    "src/web/home.tsx",
  ];
  expect(files.filter((file) => !all.has(file))).toEqual([]);
});

it("the page's tests are asked although they start programs, and no others", () => {
  const files = testFiles();
  expect(files).toContain("test/web/live.test.ts");
  expect(files).toContain("test/cli/host/timer.test.ts");
  expect(files).not.toContain("test/cli/servers.test.ts");
});
