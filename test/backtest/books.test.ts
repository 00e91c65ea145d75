import { describe, expect, it } from "vitest";
import { book, executions, overTape, print, type Reported } from "./taped.ts";

const ASKS = [[106, 5]] as const;
const begin = print(0, 105, 1);

describe("a backtest over recorded books", () => {
  it("fills an order after the size ahead of it in the queue", () => {
    const over = overTape([
      book(
        -1,
        [
          [104, 1],
          [100, 3],
        ],
        ASKS,
      ),
      begin,
      print(1000, 100, 2),
      print(2000, 100, 1.5),
      print(3000, 100, 9),
    ]);
    expect(executions(over)).toEqual(["2000 buy 0.5 at 100", "3000 buy 0.5 at 100"]);
  });

  it("moves the queue by prints only, and limits it to the current book size", () => {
    const over = overTape([
      book(
        -1,
        [
          [104, 1],
          [100, 3],
        ],
        ASKS,
      ),
      begin,
      // Half has been cancelled: of three that stood there, any may have gone; no more than 1.5 stands there now.
      book(
        500,
        [
          [104, 1],
          [100, 1.5],
        ],
        ASKS,
      ),
      print(1000, 100, 1),
      // Who came since stands behind.
      book(
        1500,
        [
          [104, 1],
          [100, 80],
        ],
        ASKS,
      ),
      print(2000, 100, 1),
    ]);
    expect(executions(over)).toEqual(["2000 buy 0.5 at 100"]);
  });

  it("splits a cancellation between the queue ahead and behind on request", () => {
    const events = [
      book(
        -1,
        [
          [104, 1],
          [100, 2],
        ],
        ASKS,
      ),
      begin,
      // Two more behind, then half of all four goes: one of it from before.
      book(
        500,
        [
          [104, 1],
          [100, 4],
        ],
        ASKS,
      ),
      book(
        600,
        [
          [104, 1],
          [100, 2],
        ],
        ASKS,
      ),
      print(1000, 100, 1.25),
    ];
    expect(executions(overTape(events, { queue: "proportional" }))).toEqual(["1000 buy 0.25 at 100"]);
    expect(executions(overTape(events))).toEqual([]);
  });

  it("does not count a print as a cancellation", () => {
    const events = [
      book(
        -1,
        [
          [104, 1],
          [100, 4],
        ],
        ASKS,
      ),
      begin,
      print(500, 100, 2),
      // What is missing from the level was traded: two before it are left.
      book(
        600,
        [
          [104, 1],
          [100, 2],
        ],
        ASKS,
      ),
      print(1000, 100, 2.25),
    ];
    for (const queue of ["trades", "proportional"] as const)
      expect(executions(overTape(events, { queue }))).toEqual(["1000 buy 0.25 at 100"]);
  });

  it("puts an order first where no other is open, and knows nothing beyond the last level", () => {
    const near = [
      book(
        -1,
        [
          [104, 1],
          [99, 3],
        ],
        ASKS,
      ),
      begin,
      print(1000, 100, 0.5),
    ];
    expect(executions(overTape(near))).toEqual(["1000 buy 0.5 at 100"]);
    const far = [book(-1, [[104, 1]], ASKS), begin, print(1000, 100, 500)];
    expect(executions(overTape(far))).toEqual([]);
    // It stands behind all that is shown there for the first time.
    const shown = [
      ...far,
      book(
        2000,
        [
          [101, 1],
          [100, 2],
        ],
        ASKS,
      ),
      print(3000, 100, 2.5),
    ];
    expect(executions(overTape(shown))).toEqual(["3000 buy 0.5 at 100"]);
  });

  it("moves an order to the front once a print goes beyond its price", () => {
    const events = [
      book(
        -1,
        [
          [104, 1],
          [100, 1000],
        ],
        ASKS,
      ),
      begin,
      print(1000, 99.9, 0.75),
      print(2000, 100, 9),
    ];
    expect(executions(overTape(events))).toEqual(["1000 buy 0.75 at 100"]);
  });

  it("counts a print of an unknown amount for no queued order", () => {
    const events = [
      book(
        -1,
        [
          [104, 1],
          [100, 1],
        ],
        ASKS,
      ),
      begin,
      print(1000, 100),
      print(2000, 99),
    ];
    expect(executions(overTape(events))).toEqual(["2000 buy 1 at 100"]);
  });

  it("fills a taking order with the size in the book", () => {
    const request = {
      lowerPrice: 100n * 10n ** 18n,
      upperPrice: 110n * 10n ** 18n,
      gridLevels: 1,
      orderSize: 100n * 10n ** 18n,
      stopLossPrice: 98n * 10n ** 18n,
      allowLoss: true,
    };
    const events: Reported[] = [
      book(
        -1,
        [
          [104, 1],
          [100, 0.5],
        ],
        ASKS,
      ),
      begin,
      print(1000, 99, 5),
      book(
        2000,
        [
          [97.4, 0.25],
          [97.3, 3],
        ],
        [[97.5, 5]],
      ),
      print(60_000, 97, 1),
      print(60_001, 97, 1),
      print(60_002, 97, 1),
    ];
    const lines = executions(overTape(events, {}, request));
    expect(lines[0]).toBe("1000 buy 1 at 100");
    expect(lines.slice(1)).toEqual(["60001 sell 0.25 at 97.4", "60001 sell 0.75 at 97.3"]);
  });
});
