import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { record, summaryOf } from "../support/record.mjs";
import { tempFolder } from "../support/temp.ts";

const LINES = `swarm: 300 seeds, 1200 passes, 90 calls; 20.9 % of 513 passes with a fault; 0 violations in 3 s
swarm, quotes: 150 seeds, 800 passes, 70 calls; within 66 s and 6 passes of the last fault; 1 violations in 2 s`;

it("adds up what the parts of a suite counted and found", () => {
  expect(summaryOf(LINES)).toBe("2,000 passes, 1 violations");
  expect(summaryOf("parity: 50 seeds, 1143863 calls, 0 differences")).toBe("1,143,863 calls, 0 differences");
  expect(summaryOf("no violations, 3 s")).toBeUndefined();
});

/** Results of two suites, the first with this output and exit code; returns what is stored after it is recorded. */
async function recorded(output: string, code: number) {
  const file = join(tempFolder(), "results.json");
  const command = `printf '%s' '${output}'; exit ${code}`;
  const row = (of: string) => ({ proves: of, command: of, date: "2026-01-01", result: "old" });
  writeFileSync(file, JSON.stringify({ suites: [row(command), row("another")], tables: [] }));
  const failure = await record(command, "2026-11-30", file).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { failure, suites: JSON.parse(readFileSync(file, "utf8")).suites };
}

it("stores date and result of the suite that ran, and no other", async () => {
  const { failure, suites } = await recorded(LINES, 0);
  expect(failure).toBeUndefined();
  expect(suites[0]).toMatchObject({ date: "2026-11-30", result: "2,000 passes, 1 violations" });
  expect(suites[1]).toMatchObject({ date: "2026-01-01", result: "old" });
});

it.each([
  ["fails", LINES, 1, /ended with 1/],
  ["has no figures", "done", 0, /has no figures/],
])("stores nothing when the suite %s", async (_what, output, code, why) => {
  const { failure, suites } = await recorded(output, code);
  expect(failure).toMatch(why);
  expect(suites[0]).toMatchObject({ date: "2026-01-01", result: "old" });
});

it("names the suites when none has the command", async () => {
  const file = join(tempFolder(), "results.json");
  writeFileSync(file, JSON.stringify({ suites: [{ command: "npm run a" }], tables: [] }));
  await expect(record("npm run b", "2026-11-30", file)).rejects.toThrow("npm run a");
});
