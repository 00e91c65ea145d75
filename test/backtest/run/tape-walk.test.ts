import { describe, expect, it } from "vitest";
import { quoteAt } from "../../../src/backtest/paper-account.ts";
import { walkingTape } from "../../../src/backtest/run/backtest.ts";
import { begin, checkGrid, finish, type GridRequest } from "../../../src/backtest/run/begin.ts";
import { openAt, RULES, ticksOf } from "../../../src/backtest/ticks.ts";
import { d } from "../../support/grid.ts";
import { book, executions, FROM, MARKET, ONE_SLOT, overTape, print, type Reported, taped } from "../taped.ts";

const FIRST = print(0, 105, 1);
const passesOf = (over: ReturnType<typeof overTape>) => over.run.passes.map((at) => at - FROM);
const timed = (tickInterval: number) => ({ rules: { tickInterval } });

/** Times of the passes of a run that makes each of them. */
function everyPass(events: readonly Reported[], tickInterval?: number) {
  const tape = taped(events);
  const bars = ticksOf(tape.prints, MARKET.tick);
  const rules = { ...RULES, tickInterval };
  const quote = quoteAt(MARKET, rules, { at: tape.prints.from, ticks: openAt(bars, 0) }, bars.step);
  const setup = { market: MARKET, quote, balances: [{ asset: "USDT", free: d("1000"), used: 0n }] };
  const options = { ...setup, rules, queue: "trades", everyPass: true } as const;
  const strategy = begin(checkGrid(ONE_SLOT, setup), setup);
  return finish(walkingTape(strategy, { tape, bars }, options)).passes.map((at) => at - FROM);
}

describe("every pass over a tape", () => {
  const events = [
    FIRST,
    print(1000, 104, 1),
    book(1500, [[103, 1]], [[104, 1]]),
    print(7000, 103, 1),
    print(21_000, 103, 1),
  ];

  it("comes after each trade and each book", () => {
    expect(everyPass(events)).toEqual([0, 1000, 1500, 7000, 21_000]);
  });

  it("comes at each interval from the first trade on, until the last one", () => {
    expect(everyPass(events, 5000)).toEqual([0, 5000, 10_000, 15_000, 20_000]);
    expect(everyPass(events, 7000)).toEqual([0, 7000, 14_000]);
  });
});

describe("a pass over a tape", () => {
  it("comes after the events of its own time", () => {
    // The sell is placed at 5000, after the trade at 111.
    const events = [FIRST, print(2000, 99, 5), print(5000, 111, 5), print(9000, 109, 1), print(9500, 112, 1)];
    const over = overTape(events, timed(5000));
    expect([executions(over), passesOf(over)]).toEqual([["2000 buy 1 at 100"], [0, 5000]]);
  });

  it("comes after a fill, although the next trade of the same time fills nothing", () => {
    const events = [FIRST, print(1000, 99.9, 0.4), print(1000, 99.9, 0.009), print(2000, 104, 1)];
    expect(passesOf(overTape(events))).toEqual([0, 1000]);
  });

  it.each([
    ["takeProfitPrice", 120, 119.9],
    ["stopLossPrice", 90, 90.1],
  ] as const)("comes at the price of %s, which fills no order", (option, price, before) => {
    const request = { ...ONE_SLOT, [option]: d(String(price)), stopAtOnce: true } as GridRequest;
    // A sell waits at 110 for the take-profit, and so does a buy at 100 for the stop loss: both fill on the way.
    const way = option === "takeProfitPrice" ? [99, 111] : [99];
    const events = (last: number) => [
      FIRST,
      ...way.map((at, i) => print(1000 + i, at, 5)),
      print(2000, before, 0.001),
      ...[3000, 4000, 5000].map((at) => print(at, last, 0.001)),
    ];
    const statusOf = (last: number) => {
      const { strategy } = overTape(events(last), {}, request).run.account;
      return [strategy.status, strategy.state.exit?.reason ?? null];
    };
    const reason = option === "takeProfitPrice" ? "take_profit" : "stop_loss";
    expect([statusOf(price), statusOf(before)]).toEqual([
      ["stopped", reason],
      ["running", null],
    ]);
  });

  it("sells at its own time, not at that of the last trade", () => {
    const request = { ...ONE_SLOT, stopLossPrice: d("90"), stopAtOnce: true } as GridRequest;
    const events = [FIRST, print(1000, 99, 5), print(7000, 90, 1), print(21_000, 90, 1)];
    // The pass at 10,000 cancels the sell at 110, and the next one sells a tick below 90.
    expect(executions(overTape(events, timed(5000), request))).toEqual([
      "1000 buy 1 at 100",
      "15000 sell 1 at 89.9",
    ]);
  });

  it("reads the book of its own time", () => {
    const request = { ...ONE_SLOT, stopLossPrice: d("90"), stopAtOnce: true } as GridRequest;
    const events = [
      book(-1, [[104, 1]], [[106, 1]]),
      FIRST,
      print(1000, 99, 5),
      book(2000, [[90.5, 2]], [[91, 2]]),
      book(2000, [[89, 2]], [[90, 2]]),
      print(2001, 95, 1),
      print(2002, 95, 1),
    ];
    const over = overTape(events, {}, request);
    // The pass at 2000 cancels the sell, and the next one takes the bid.
    expect(executions(over)).toEqual(["1000 buy 1 at 100", "2001 sell 1 at 89"]);
  });
});
