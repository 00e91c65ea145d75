import { expect, it } from "vitest";
import { sleepCheck } from "../../src/kernel/sleep-check.ts";

/** A check over two clocks, which advance by the given times between two calls. */
function checkOver(...steps: readonly (readonly [number, number])[]) {
  let [wall, monotonic] = [1_767_225_600_000, 500];
  const hasSlept = sleepCheck(
    () => wall,
    () => monotonic,
  );
  return steps.map(([byWall, byMonotonic]) => {
    wall += byWall;
    monotonic += byMonotonic;
    return hasSlept();
  });
}

it.each([
  ["a clock that counts the sleep, and one that stands still", 60_000, 0],
  ["two clocks that count the sleep", 60_000, 60_000],
  ["a monotonic clock alone", 0, 60_000],
  ["a sleep just over 20 seconds", 20_001, 20_001],
])("reports a sleep once, with %s", (_, wall, monotonic) => {
  const second = [1000, 1000] as const;
  expect(checkOver(second, [wall, monotonic], second, second)).toEqual([false, true, false, false]);
});

it("reports no sleep after a busy time of 20 seconds, or when a clock is set back", () => {
  expect(checkOver([20_000, 20_000], [-3_600_000, 1000], [1000, 1000])).toEqual([false, false, false]);
});
