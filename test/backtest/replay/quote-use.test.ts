import { expect, it } from "vitest";
import { isBeyondUse, quoteUseOf } from "../../../src/backtest/replay/cause.ts";
import { d } from "../../support/grid.ts";
import { order } from "../../support/made.ts";
import { execution } from "./executions.ts";

const executions = new Map(
  [
    // All of the first buy, half of the second one, and a sell of 2 at 110.
    execution({ clientId: "whole", at: 2000, until: 2500 }),
    execution({ clientId: "half", amount: d("1"), at: 4000, until: 4500 }),
    execution({ clientId: "sold", side: "sell", price: d("110"), at: 5000, until: 5500 }),
  ].map((one) => [one.clientId, one]),
);
const USE = quoteUseOf(
  [
    order({ clientId: "whole", createdAt: 1000, endedAt: 2500, state: "filled" }),
    // It is canceled with half of its amount left, which frees 100 once it has ended.
    order({ clientId: "half", createdAt: 3000, endedAt: 4200, state: "canceled" }),
    order({
      clientId: "sold",
      createdAt: 2600,
      side: "sell",
      price: d("109"),
      state: "filled",
      endedAt: 5500,
    }),
    // These use nothing: a sell that did not fill, and a buy that the exchange refused.
    order({ clientId: "unsold", createdAt: 2600, side: "sell" }),
    order({ clientId: "refused", createdAt: 2700, state: "rejected", endedAt: 2700 }),
    // It is canceled without any fill.
    order({ clientId: "none", createdAt: 6000, endedAt: 7000, state: "canceled", amount: d("0.5") }),
    order({ clientId: "open", createdAt: 8000, amount: d("0.1") }),
  ],
  executions,
);

it("a grid uses quote in its buys, from their creation, and less after a sale or a canceled rest", () => {
  expect(USE).toEqual({
    most: d("400"),
    rows: [
      [1000, "200"],
      [3000, "400"],
      [4500, "300"],
      [5500, "80"],
      [6000, "130"],
      [7000, "80"],
      [8000, "90"],
    ].map(([at, used]) => ({ at, used: d(String(used)) })),
  });
  expect(quoteUseOf([], executions)).toEqual({ most: 0n, rows: [] });
});

it("an order is beyond the use if it would have needed more than the grid ever used", () => {
  const costs = (at: number, amount: string) => isBeyondUse(USE, execution({ at, amount: d(amount) }));
  // 100 are left of 400 at 4,500, and all of them before the first order.
  expect([costs(4500, "1"), costs(4500, "1.01"), costs(4499, "0.01"), costs(3000, "0")]).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect([costs(0, "4"), costs(0, "4.01"), costs(9999, "3.1"), costs(9999, "3.11")]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
