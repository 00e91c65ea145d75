import { expect, it } from "vitest";
import { logLines } from "../../../src/engine/pass/strategy-log.ts";
import { MINUTE, SECOND } from "../../../src/kernel/time.ts";

it("writes 60 lines of a strategy at once, then one a second, and once a minute how many it dropped", () => {
  const entries: string[] = [];
  const log = (
    _level: string,
    message: string,
    { line, strategy }: { line?: unknown; strategy?: unknown } = {},
  ) => void entries.push(`${strategy} ${line === undefined ? message : `line ${line}`}`);
  const write = (strategy: string, count: number, now: number, dropped = 0) => {
    entries.length = 0;
    const lines = Array.from({ length: count }, (_, i) => String(i));
    logLines(log as never, [{ account: "kraken", strategy, lines, dropped }], now);
    return [
      entries.filter((one) => one.includes("line ")).length,
      entries.find((one) => one.includes("more")),
    ];
  };
  expect(write("a", 50, 0)).toEqual([50, undefined]);
  expect(write("a", 50, 0, 200)).toEqual([10, "a … 240 more lines of a strategy"]);
  // Another strategy has its own rate.
  expect(write("b", 3, 0)).toEqual([3, undefined]);
  expect(write("a", 5, 2.5 * SECOND)).toEqual([2, undefined]);
  // A clock that goes back earns nothing.
  expect(write("a", 5, -SECOND)).toEqual([0, undefined]);
  expect(write("a", 1, MINUTE)).toEqual([1, "a … 8 more lines of a strategy"]);
  expect(write("a", 0, 3 * MINUTE)).toEqual([0, undefined]);
});
