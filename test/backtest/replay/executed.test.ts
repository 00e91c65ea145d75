import { describe, expect, it } from "vitest";
import { executedOrdersOf, pairExecutions } from "../../../src/backtest/executed.ts";
import { d } from "../../support/grid.ts";
import { fill, idOf } from "../../support/made.ts";
import { execution } from "./executions.ts";

describe("executions of a record", () => {
  it("have the sum, the average price and both times of their fills, first ones first", () => {
    const [one, other] = [idOf({ slot: 3, generation: 2 }), idOf({ slot: 1 })];
    expect(
      executedOrdersOf([
        fill({ clientId: one, amount: d("3"), notional: d("306"), at: 5000 }),
        fill({ clientId: other, side: "sell", amount: d("2"), notional: d("220"), at: 4000 }),
        // It arrived after its amount was booked from the order.
        fill({ clientId: one, amount: d("9"), notional: d("900"), at: 1, superseded: true }),
        fill({ clientId: one, amount: d("1"), notional: d("98"), at: 3000 }),
      ]),
    ).toEqual([
      {
        clientId: one,
        generation: 2,
        slot: 3,
        side: "buy",
        price: d("101"),
        amount: d("4"),
        parts: 2,
        at: 3000,
        until: 5000,
      },
      {
        clientId: other,
        generation: 0,
        slot: 1,
        side: "sell",
        price: d("110"),
        amount: d("2"),
        parts: 1,
        at: 4000,
        until: 4000,
      },
    ]);
  });

  it("belong to no slot under an id of another form, and have no price without an amount", () => {
    const [only] = executedOrdersOf([fill({ clientId: "mine", amount: 0n, notional: 0n })]);
    expect(only).toMatchObject({ generation: 0, slot: -1, price: 0n });
  });
});

describe("executions of a record and of a backtest", () => {
  const at = (time: number, over = {}) => execution({ at: time, ...over });
  const times = (list: readonly { readonly at: number }[]) => list.map((one) => one.at);
  const pairs = (ours: ReturnType<typeof at>[], theirs: ReturnType<typeof at>[], within = 100) => {
    const { both, onlyRecord, onlyCandles } = pairExecutions(ours, theirs, within);
    return [
      both.map(({ record, candles }) => [record.at, candles.at]),
      times(onlyRecord),
      times(onlyCandles),
    ];
  };

  it("are the same up to the maximum difference, whichever comes first", () => {
    expect(pairs([at(1000)], [at(1100)])).toEqual([[[1000, 1100]], [], []]);
    expect(pairs([at(1100)], [at(1000)])).toEqual([[[1100, 1000]], [], []]);
    expect(pairs([at(1000)], [at(1101)])).toEqual([[], [1000], [1101]]);
  });

  it("are not the same on another side, in another slot or generation", () => {
    for (const over of [{ side: "sell" }, { slot: 1 }, { generation: 1 }])
      expect(pairs([at(1000)], [at(1000, over)])).toEqual([[], [1000], [1000]]);
  });

  it("are paired in time order, past those that only one of them has", () => {
    const sell = { side: "sell" };
    expect(
      pairs(
        [at(1000), at(2000, sell), at(5000), at(6000, sell)],
        [at(1050), at(2050, sell), at(3000), at(4000, sell), at(5050), at(6050, sell), at(7000)],
      ),
    ).toEqual([
      [
        [1000, 1050],
        [2000, 2050],
        [5000, 5050],
        [6000, 6050],
      ],
      [],
      [3000, 4000, 7000],
    ]);
    expect(pairs([at(1000), at(2000)], [at(2000)])).toEqual([[[2000, 2000]], [1000], []]);
    expect(pairs([at(2000)], [at(1000), at(2000)])).toEqual([[[2000, 2000]], [], [1000]]);
    expect(pairs([], [at(1000)])).toEqual([[], [], [1000]]);
    expect(pairs([at(1000)], [])).toEqual([[], [1000], []]);
  });
});
