import { describe, expect, it } from "vitest";
import { StoreError } from "../../../src/kernel/errors.ts";
import type { Order } from "../../../src/model/order.ts";
import { recordIntent } from "../../../src/orders/operations/create.ts";
import { d, market } from "../../support/grid.ts";
import { NOW, order, quote, reportedOrder } from "../../support/made.ts";

const DAY = 86_400_000;
const standings = { version: 1, now: NOW, all: [] };

/** Records an order whose client id another order has. */
const recording = (
  earlier: Order | undefined,
  over: Partial<Order> = {},
  requestKey: string | null = "key",
) =>
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
        book: async () => ({ bids: [], asks: [{ price: d("100"), amount: d("9") }] }),
        market,
      } as never,
      order: order({ strategy: null, kind: "hand", ...over }),
      standings,
      reach: { side: "buy", limit: d("100"), worst: d("100") },
      open: undefined,
      requestKey: requestKey ?? undefined,
      by: { actor: "t", request: "r" },
    },
  );

describe("a request that is repeated with its key", () => {
  it("finds the order of its first attempt", async () => {
    const earlier = order({ sendBy: 40_000 });
    expect(await recording(earlier, { sendBy: 40_000 + DAY - 1 })).toEqual({ earlier });
  });

  it("finds its market order, whose price in the book has moved", async () => {
    const earlier = order({ type: "market", price: d("101") });
    expect(await recording(earlier, { type: "market", sendBy: earlier.sendBy })).toEqual({ earlier });
  });

  it("does not take another order for its own", async () => {
    for (const other of [
      { amount: d("3") },
      { side: "sell" },
      { symbol: "ETH/USDT" },
      { type: "market" },
      { price: d("99") },
    ] as const)
      await expect(recording(order(other))).rejects.toThrow("this clientOrderId was used before");
    await expect(recording(undefined)).rejects.toThrow("this clientOrderId was used before");
  });

  it("is a new request without a key", async () => {
    await expect(recording(order(), {}, null)).rejects.toThrow("this clientOrderId was used before");
  });

  it("needs another key after a day", async () => {
    await expect(recording(order({ sendBy: 40_000 }), { sendBy: 40_000 + DAY })).rejects.toThrow(
      "more than a day ago",
    );
  });
});

describe("an order that could fill against a stored one", () => {
  const own = order({ clientId: "own", exchangeId: "x9" });

  /** What each attempt was recorded with, if the exchange shows that status of the stored order. */
  async function attempts(status: "canceled" | "open", stored = own) {
    const ended: (readonly string[])[] = [];
    const recordByHand = async (_order: Order, terms: { ended?: readonly string[] }) => {
      ended.push([...(terms.ended ?? [])]);
      return ended.length === 1 ? { result: "meets", order: stored } : { result: "recorded" };
    };
    const readLimits = async () => ({
      now: NOW,
      stored: { version: 1, set: {} },
      uses: [],
      openOrders: null,
    });
    const done = recordIntent(
      {
        store: { recordByHand, readLimits, killed: async () => false },
        marketTime: () => NOW,
        local: { monotonic: () => 7 },
      } as never,
      {
        venue: {
          account: { exchange: "kraken", kind: "live", host: "h" },
          ticker: async () => quote(),
          order: async () => reportedOrder({ status }),
        } as never,
        order: order({ strategy: null, kind: "hand" }),
        standings,
        reach: { side: "buy", limit: d("100"), worst: d("100") },
        open: undefined,
        requestKey: undefined,
        by: { actor: "t", request: "r" },
      },
    );
    return { result: await done.catch((error: Error) => error.message), ended };
  }

  it("is recorded once the exchange reports that the other one has ended", async () => {
    expect(await attempts("canceled")).toEqual({ result: { requestedAt: 7 }, ended: [[], ["own"]] });
  });

  it("is refused while the other one can be open", async () => {
    const refused = { result: expect.stringContaining("own order x9 (buy 2 at 100)"), ended: [[]] };
    expect(await attempts("open")).toEqual(refused);
    const unconfirmed = order({ clientId: "own", exchangeId: null });
    expect((await attempts("canceled", unconfirmed)).result).toContain("own order own (buy 2 at 100)");
  });
});
