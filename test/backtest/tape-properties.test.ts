import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoteAt } from "../../src/backtest/paper-account.ts";
import { walkingTape } from "../../src/backtest/run/backtest.ts";
import { begin, checkGrid, finish } from "../../src/backtest/run/begin.ts";
import { openAt, RULES, ticksOf } from "../../src/backtest/ticks.ts";
import { d } from "../support/grid.ts";
import { most } from "../support/whole.ts";
import { book, executions, MARKET, overTape, print, type Reported, taped } from "./taped.ts";

interface Recorded {
  readonly steps: readonly number[];
  readonly amounts: readonly number[];
  readonly sizes: readonly number[];
}

const PRINTS = 90;
const many = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: PRINTS, maxLength: PRINTS });

const recorded: fc.Arbitrary<Recorded> = fc.record({
  steps: many(fc.integer({ min: -4, max: 4 })),
  amounts: many(fc.integer({ min: 1, max: 300 })),
  sizes: many(fc.integer({ min: 1, max: 200 })),
});

/** Levels at 98.5, 99, … 101.5: all at whole halves, where prints are too. */
const GRID = {
  lowerPrice: d("98"),
  upperPrice: d("102"),
  gridLevels: 8,
  orderSize: d("100"),
  allowLoss: true,
};

const LEVELS = Array.from({ length: 61 }, (_, i) => 85 + i / 2);

const tenths = (price: number): number => Math.round(price * 10) / 10;

/** At each print a book a tick beside it; `stand` says how much stands at a level in the book of a print. */
function eventsOf({ steps, amounts }: Recorded, stand?: (place: number) => number): Reported[] {
  let price = 100;
  return steps.flatMap((step, i) => {
    // It begins within the grid.
    if (i > 0) price = Math.min(112, Math.max(88, price + step / 2));
    const at = i * 1000;
    const result = print(at, price, (amounts[i] as number) / 100);
    if (!stand) return [result];
    const size = stand(i);
    const between = size > 0 ? LEVELS.map((level) => [level, size] as const) : [];
    const bids = [
      [tenths(price - 0.1), 5] as const,
      ...between.filter(([one]) => one < price).reverse(),
      [1, 1] as const,
    ];
    const asks = [
      [tenths(price + 0.1), 5] as const,
      ...between.filter(([one]) => one > price),
      [1e6, 1] as const,
    ];
    const sorted = (levels: typeof bids, way: number) => levels.sort((a, b) => way * (a[0] - b[0]));
    return [result, book(at, sorted(bids, -1), sorted(asks, 1))];
  });
}

const runs = { numRuns: most(40, 6), endOnFailure: true };
const over = (
  events: readonly Reported[],
  options: Parameters<typeof overTape>[1] = {},
  request: object = GRID,
) => overTape(events, options, request as typeof GRID);
/** Several orders share a print: which slot has more of it depends on the others. One alone has nobody to share with. */
const ALONE = { ...GRID, lowerPrice: d("99"), upperPrice: d("101"), gridLevels: 1 };
const ordersIn = ({ run }: ReturnType<typeof over>) => run.account.strategy.state.ledger.filledOrders;

describe("a queue, whatever the grid's price history", () => {
  it("of length zero fills on touch, and any other between touch and cross", () => {
    fc.assert(
      fc.property(recorded, (past) => {
        const touch = over(eventsOf(past), { rules: { fill: "touch" } });
        expect(executions(over(eventsOf(past, () => 0)))).toEqual(executions(touch));
        const most = over(eventsOf(past), { rules: { fill: "touch" } }, ALONE);
        const some = over(
          eventsOf(past, (i) => past.sizes[i] as number),
          {},
          ALONE,
        );
        const least = over(eventsOf(past), {}, ALONE);
        expect(ordersIn(some)).toBeLessThanOrEqual(ordersIn(most));
        expect(ordersIn(some)).toBeGreaterThanOrEqual(ordersIn(least));
      }),
      runs,
    );
  });

  it.each(["trades", "proportional"] as const)("that is longer never adds fills: %s", (queue) => {
    fc.assert(
      fc.property(recorded, (past) => {
        const all = [0, 0.25, 1, 4, 1e6].map((times) =>
          over(
            eventsOf(past, (i) => (times * (past.sizes[i] as number)) / 100),
            { queue },
            ALONE,
          ),
        );
        const results = all.map(ordersIn);
        for (const [i, one] of results.entries()) expect(one).toBeLessThanOrEqual(results[i - 1] ?? Infinity);
      }),
      runs,
    );
  });

  it("that cancellations also move never loses fills", () => {
    fc.assert(
      fc.property(recorded, (past) => {
        const events = eventsOf(past, (i) => (past.sizes[i] as number) / 50);
        const slow = over(events, { queue: "trades" }, ALONE);
        const fast = over(events, { queue: "proportional" }, ALONE);
        expect(ordersIn(fast)).toBeGreaterThanOrEqual(ordersIn(slow));
      }),
      runs,
    );
  });
});

describe("passes over a tape", () => {
  it.each([
    ["a grid", undefined, {}],
    ["passes of a clock", 7000, {}],
    ["a stop price", undefined, { stopLossPrice: d("96") }],
    ["a trail", undefined, { trail: { up: d("110"), down: d("90") } }],
  ] as const)("that are skipped would have changed nothing: %s", (_, tickInterval, more) => {
    fc.assert(
      fc.property(recorded, (past) => {
        const tape = taped(eventsOf(past, (i) => (past.sizes[i] as number) / 100));
        const bars = ticksOf(tape.prints, MARKET.tick);
        const rules = { ...RULES, tickInterval };
        const quote = quoteAt(MARKET, rules, { at: tape.prints.from, ticks: openAt(bars, 0) }, bars.step);
        const balances = [{ asset: "USDT", free: d("1000"), used: 0n }];
        const setup = { market: MARKET, quote, balances };
        const run = (everyPass: boolean) => {
          const strategy = begin(checkGrid({ ...GRID, ...more }, setup), setup);
          const options = { market: MARKET, rules, balances, queue: "trades", everyPass } as const;
          const { account, fills, balances: after } = finish(walkingTape(strategy, { tape, bars }, options));
          const { slots, ledger } = account.strategy.state;
          return { slots, ledger, after, fills: fills.newest(fills.count) };
        };
        expect(run(false)).toEqual(run(true));
      }),
      runs,
    );
  });
});
