import { describe, expect, it } from "vitest";
import { boundRoom, firstBuyOf } from "../../../src/grid/plan/first-buy.ts";
import { nextOrders } from "../../../src/grid/plan/next-orders.ts";
import { type GridConfig, type GridStrategy, NO_LEDGER } from "../../../src/grid/state/state.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { NOW, order, quote, strategy } from "../../support/made.ts";

const bounded = (spent: string, over: object = {}) =>
  strategy({
    config: { bound: { base: 0n, spent: d(spent) } } as GridConfig,
    state: state([slot()], over),
  }) as GridStrategy;

describe("the amount that a grid's bound leaves for buys", () => {
  it("is reduced by what its fills have spent and its open buys can spend, before fees", () => {
    const ledger = { ...NO_LEDGER, quote: d("-100.1"), fees: { USDT: d("0.1") } };
    const buys = [order({ amount: d("2"), booked: d("1"), price: d("100") }), order({ side: "sell" })];
    expect(boundRoom(bounded("500", { ledger }), buys)).toBe(d("300"));
    expect(boundRoom(bounded("150", { ledger }), buys)).toBe(0n);
  });

  it("is undefined for a grid without a bound", () => {
    expect(boundRoom(strategy({ config: {} as GridConfig }) as GridStrategy, [])).toBeUndefined();
  });

  it("blocks a buy beyond it, but no sell", () => {
    const slots = [
      slot(),
      slot({ index: 1, lower: d("90"), upper: d("100") }),
      slot({ index: 2, side: "sell", base: d("1"), cost: d("100") }),
    ];
    const { intents, next } = nextOrders(state(slots), {
      market: market(),
      quote: quote(),
      now: NOW,
      busy: new Set(),
      resting: [],
      funds: undefined,
      killed: false,
      isRecovering: false,
      limit: 9,
      config: {},
      room: d("150"),
    });
    expect(intents.map(({ slot: index, side }) => [index, side])).toEqual([
      [0, "buy"],
      [2, "sell"],
    ]);
    expect(next.refused).toEqual([
      {
        slot: 1,
        reason: "limit_exposure",
        detail: "a limit allows this grid to buy for 50 more, and this order needs 99.9999",
      },
    ]);
  });

  it("makes a first buy smaller", () => {
    const bare = state([slot({ side: "sell", lower: d("105"), size: d("110") })], { firstBuy: { tries: 0 } });
    const around = { market: market(), quote: quote({ bid: d("99"), ask: d("100") }), capital: undefined };
    const amount = (room?: bigint) => firstBuyOf(bare, {} as GridConfig, { ...around, room })?.intent.amount;
    expect(amount()).toBe(d("1"));
    expect(amount(d("50.5"))).toBe(d("0.5"));
  });
});
