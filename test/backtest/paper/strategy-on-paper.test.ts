import { expect, it } from "vitest";
import { opened, type Placed, paper, passOnPaper } from "../../../src/backtest/paper-account.ts";
import { RULES } from "../../../src/backtest/ticks.ts";
import { kindsOf } from "../../../src/engine/accounts.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import type { GridStrategy } from "../../../src/grid/state/state.ts";
import type { Kind } from "../../../src/ports/kind.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { fill, strategy } from "../../support/made.ts";

const START = Date.UTC(2026, 0, 1);
const MARKET = market({ tick: d("1"), lot: d("0.001"), minAmount: d("0.001"), minNotional: d("5") });

/** A grid with one buy at 90. */
const GRID = strategy({
  state: state([slot({ lower: d("90"), upper: d("110"), size: d("90") })], { epoch: 1 }),
}) as GridStrategy;
const venueAt100 = () => {
  const balances = [{ asset: "USDT", free: d("1000"), used: 0n }];
  return paper(MARKET, RULES, { balances, first: { at: START, ticks: 100 } });
};

/** A first pass of the grid, on a venue that answers each order with this. */
function passed(placed: Placed | undefined) {
  const venue = venueAt100();
  const answers = placed === undefined ? venue : { ...venue, place: () => placed };
  const kinds = kindsOf([gridKind as unknown as Kind]);
  return passOnPaper(opened(GRID), MARKET, answers, START, { kinds }).account;
}

it("an order of a backtest is open once it is placed", () => {
  const { orders } = passed(undefined);
  expect(orders).toMatchObject([
    { state: "submitted", side: "buy", price: d("90"), exchangeId: expect.any(String) },
  ]);
});

it.each([
  [{ rejected: "it is post-only", wouldTake: true }, "would take: it is post-only"],
  [{ rejected: "not enough funds", wouldTake: false }, "not enough funds"],
  [{ rejected: "not enough funds" }, "not enough funds"],
])("an order that the venue rejects keeps the reason: %o", (placed, reason) => {
  const { orders, strategy: after } = passed(placed);
  expect(orders).toMatchObject([{ state: "rejected", reason }]);
  expect(after.phase).toBe("placing");
});

it("a strategy that uses its fills reads the newest of them", () => {
  const fills = [1, 2, 3].map((at) => ({
    ...fill({ at, tradeId: `t${at}` }),
    mid: null,
    mid1s: null,
    mid10s: null,
    mid1m: null,
    mid5m: null,
    mid1h: null,
  }));
  const readBy = (count: number | undefined, interval?: number) => {
    const read: unknown[] = [];
    const kind: Kind = {
      ...(gridKind as unknown as Kind),
      fillsFor: (_config, between) => {
        read.push(between);
        return count === undefined ? undefined : { within: 1, count };
      },
      run(...given) {
        read.push(given[2].observed.fills?.map(({ at }) => at));
        return (gridKind as unknown as Kind).run(...given);
      },
    };
    const options = { kinds: kindsOf([kind]), measured: fills };
    passOnPaper(opened(GRID, interval), MARKET, venueAt100(), START, options);
    return read;
  };
  expect([readBy(2, 5000), readBy(9), readBy(undefined)]).toEqual([
    [5000, [2, 3]],
    [0, [1, 2, 3]],
    [0, undefined],
  ]);
});
