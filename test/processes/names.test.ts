import { execFile } from "node:child_process";
import { describe, expect, it } from "vitest";

/** What becomes of a script of the tests. */
const ran = (script: string, ...args: readonly string[]) =>
  new Promise<{ readonly code: number | null; readonly stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [script, ...args], (_error, _stdout, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    );
  });

const INPUTS = "test/world/run.mjs";
const SIMULATION = "test/simulation/run.mjs";

describe("an unknown name", () => {
  it.each([
    ["a walk", INPUTS, ["two slots, raeds of now"], '"two slots, reads of now"'],
    ["a weakened protocol", INPUTS, ["--weakened", "no wait"], '"no wait for the read lag"'],
    ["a planted bug", SIMULATION, ["--mutants", "a timeout"], '"a timeout is a reject"'],
    ["a planted bug, where none is asked for", SIMULATION, ["a timeout is a reject"], "--mutants"],
  ])("is rejected with a list of the known ones: %s", async (_what, script, args, there) => {
    const { code, stderr } = await ran(script, ...args);
    expect(stderr).toContain(there);
    expect(code).toBe(2);
  });
});
