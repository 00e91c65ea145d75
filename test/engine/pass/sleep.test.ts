import { expect, it, onTestFinished, vi } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { clockWithSleep } from "../../../src/kernel/sleep-check.ts";
import { HOUR, type Millis, SECOND } from "../../../src/kernel/time.ts";
import { gridInput } from "../../support/requests.ts";
import { runOperation, START, testSandbox } from "../../support/sandbox.ts";

/** Starts a grid on a machine that sleeps for an hour before the first order leaves; returns what became of the orders. */
async function sleepInPass(clockOf: (still: () => Millis, wall: () => Millis) => () => Millis) {
  const { deps, time } = await testSandbox();
  const local = { ...deps.local, monotonic: clockOf(() => START, time.now) };
  const results: string[] = [];
  let isAwake = true;
  const venue: typeof deps.venueOf = (account) => {
    const found = deps.venueOf(account);
    return (
      found && {
        ...found,
        async create(order, permit) {
          if (isAwake) time.pass(HOUR);
          isAwake = false;
          const outcome = await found.create(order, permit);
          results.push(outcome.result);
          return outcome;
        },
      }
    );
  };
  await runOperation(
    { ...deps, local, venueOf: venue },
    "start_grid",
    gridInput({ exchange: "kraken", gridLevels: 4 }),
  );
  return results;
}

it("a pass sends no order after its lease has ended during a sleep of the machine", async () => {
  const results = await sleepInPass(clockWithSleep);
  expect(results.length).toBeGreaterThan(0);
  expect(new Set(results)).toEqual(new Set(["not_sent"]));
});

it("the clock of a process goes on during a sleep of the machine", () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const before = nodeLocal.monotonic();
  const wall = Date.now();
  vi.spyOn(Date, "now").mockReturnValue(wall + HOUR);
  expect(nodeLocal.monotonic() - before).toBeGreaterThan(HOUR - SECOND);
});

it("a clock that goes on during a sleep never goes back, and ignores small steps of the wall clock", () => {
  let [monotonic, wall] = [500, START];
  const clock = clockWithSleep(
    () => monotonic,
    () => wall,
  );
  const after = (passed: Millis, shown = passed) => {
    monotonic += passed;
    wall += shown;
    return clock();
  };
  expect(after(0)).toBe(500);
  expect(after(100)).toBe(600);
  expect(after(100, 1100)).toBe(700);
  expect(after(100, -HOUR)).toBe(800);
  expect(after(100)).toBe(900);
  expect(after(0, HOUR)).toBe(900 + HOUR);
  expect(after(100)).toBe(1000 + HOUR);
});
