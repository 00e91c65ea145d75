import { describe, expect, it } from "vitest";
import { executions, overTape, print } from "./taped.ts";

const begin = print(0, 105, 1);

describe("a backtest over prints", () => {
  it("fills an order when a print goes beyond its price, up to the print's amount", () => {
    const over = overTape([
      begin,
      print(1000, 100, 50),
      print(2000, 99.9, 0.4),
      print(3000, 99, 0.25),
      print(4000, 98, 9),
      print(5000, 110, 9),
      print(6000, 110.1, 9),
    ]);
    expect(executions(over)).toEqual([
      "2000 buy 0.4 at 100",
      "3000 buy 0.25 at 100",
      "4000 buy 0.35 at 100",
      "6000 sell 1 at 110",
    ]);
    expect(over.figures.total).toBe(10n * 10n ** 18n);
  });

  it("makes no pass for a print without effect, also while an order is partially filled", () => {
    const quiet = Array.from({ length: 300 }, (_, i) => print(2000 + i, 101 + (i % 7), 1));
    const over = overTape([begin, print(1000, 99.9, 0.4), ...quiet, print(5000, 99, 9)]);
    expect(executions(over)).toEqual(["1000 buy 0.4 at 100", "5000 buy 0.6 at 100"]);
    expect(over.run.passes.length).toBeLessThan(10);
  });

  it("fills on touch on request", () => {
    const events = [begin, print(1000, 100, 0.3), print(2000, 100, 5), print(3000, 110, 5)];
    expect(executions(overTape(events, { rules: { fill: "touch" } }))).toEqual([
      "1000 buy 0.3 at 100",
      "2000 buy 0.7 at 100",
      "3000 sell 1 at 110",
    ]);
    expect(executions(overTape(events))).toEqual([]);
  });

  it("treats a print of an unknown amount as large enough", () => {
    expect(executions(overTape([begin, print(1000, 99), print(2000, 111)]))).toEqual([
      "1000 buy 1 at 100",
      "2000 sell 1 at 110",
    ]);
  });

  it("shares a print among orders, the best price first", () => {
    const two = { lowerPrice: 0n, upperPrice: 0n, gridLevels: 2, orderSize: 0n, allowLoss: true };
    const request = {
      ...two,
      lowerPrice: 90n * 10n ** 18n,
      upperPrice: 110n * 10n ** 18n,
      orderSize: 90n * 10n ** 18n,
    };
    const lines = executions(overTape([begin, print(1000, 80, 1.1), print(2000, 80, 9)], {}, request));
    expect(lines).toEqual(["1000 buy 0.9 at 100", "1000 buy 0.2 at 90", "2000 buy 0.8 at 90"]);
  });

  it("fills whole lots only", () => {
    expect(executions(overTape([begin, print(1000, 99, 0.009), print(2000, 99, 0.017)]))).toEqual([
      "2000 buy 0.01 at 100",
    ]);
  });

  it("steps from print to print, without prices in between", () => {
    expect(
      executions(overTape([begin, print(1000, 99, 5), print(2000, 111, 5), print(3000, 99, 5)])),
    ).toEqual(["1000 buy 1 at 100", "2000 sell 1 at 110", "3000 buy 1 at 100"]);
  });

  it("makes one pass after all prints with the same time", () => {
    // The sell is placed after the print above it, which came in the same millisecond.
    const events = [begin, print(1000, 99, 5), print(1000, 120, 5), print(2000, 109, 5)];
    expect(executions(overTape(events))).toEqual(["1000 buy 1 at 100"]);
  });

  it("makes one pass each tick interval where one is set", () => {
    const events = [
      begin,
      print(1000, 99, 5),
      print(2000, 111, 5),
      print(61_000, 105, 1),
      print(62_000, 112, 5),
      print(121_000, 112, 5),
    ];
    const over = overTape(events, { rules: { tickInterval: 60_000 } });
    expect(executions(over)).toEqual(["1000 buy 1 at 100", "62000 sell 1 at 111.1"]);
  });

  it("has a zero-width band, since the order of prices is known", () => {
    const over = overTape([begin, print(1000, 99, 5), print(2000, 111, 5)]);
    expect(over.engine).toBe("walk");
    expect(over.band).toEqual({
      total: { least: over.figures.total, most: over.figures.total },
      count: { least: 1, most: 1 },
    });
  });
});
