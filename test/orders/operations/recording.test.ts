import { describe, expect, it } from "vitest";
import { StoreError } from "../../../src/kernel/errors.ts";
import type { Order } from "../../../src/model/order.ts";
import { recordIntent } from "../../../src/orders/operations/recording.ts";
import { d, market } from "../../support/grid.ts";
import { NOW, order, quote } from "../../support/made.ts";

const DAY = 86_400_000;
const standings = { version: 1, now: NOW, all: [] };

/** Records an order whose client id another order has. */
const recording = (earlier: Order | undefined, over: Partial<Order> = {}) =>
  recordIntent(
    {
      store: {
        recordByHand: () => Promise.reject(new StoreError("constraint", "used")),
        orderByClientId: async () => earlier,
        killed: async () => false,
      },
      marketTime: () => NOW,
      local: { monotonic: () => 0 },
    } as never,
    {
      venue: {
        account: { exchange: "kraken", kind: "live", host: "h" },
        ticker: async () => quote(),
        market,
      } as never,
      order: order({ strategy: null, kind: "hand", ...over }),
      ...{ standings, reach: { side: "buy", limit: d("100") }, open: undefined },
      ...{ requestKey: "key", by: { actor: "t", request: "r" } },
    },
  );

describe("a request that is repeated with its key", () => {
  it("finds the order of its first attempt", async () => {
    const earlier = order({ sendBy: 40_000 });
    expect(await recording(earlier, { sendBy: 40_000 + DAY - 1 })).toEqual({ earlier });
  });

  it("does not take another order for its own", async () => {
    for (const other of [
      { amount: d("3") },
      { side: "sell" },
      { symbol: "ETH/USDT" },
      { type: "market" },
    ] as const)
      await expect(recording(order(other))).rejects.toThrow("this clientOrderId was used before");
    await expect(recording(undefined)).rejects.toThrow("this clientOrderId was used before");
  });

  it("needs another key after a day", async () => {
    await expect(recording(order({ sendBy: 40_000 }), { sendBy: 40_000 + DAY })).rejects.toThrow(
      "more than a day ago",
    );
  });
});
