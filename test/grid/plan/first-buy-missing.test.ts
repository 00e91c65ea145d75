import { describe, expect, it } from "vitest";
import { firstBuyOf } from "../../../src/grid/plan/first-buy.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import { d, market, slot, state } from "../../support/grid.ts";

const QUOTE = { bid: d("100"), ask: d("100.01"), at: 0 };
/** Fees in quote, lots of 0.001: a selling slot of 110 USDT at 110 wants exactly 1. */
const MARKET = market({ lot: d("0.001"), minAmount: d("0.001") });
const CONFIG = { postOnly: true } as unknown as GridConfig;

const selling = (index: number, over = {}) =>
  slot({ index, lower: d("105"), upper: d("110"), size: d("110"), side: "sell", ...over });
const buying = slot({ index: 9, lower: d("90"), upper: d("95"), size: d("110") });

const countRequests = (slots: Parameters<typeof state>[0], tries = 0) =>
  firstBuyOf(state(slots, { firstBuy: { tries } }), CONFIG, {
    market: MARKET,
    quote: QUOTE,
    capital: undefined,
  });

describe("the initial buy of missing base", () => {
  it("covers what selling slots lack, and nothing for slots that have base or buy", () => {
    expect(countRequests([selling(0), selling(1), buying])?.intent.amount).toBe(d("2"));
    const holding = selling(1, { base: d("1"), cost: d("100") });
    expect(countRequests([selling(0), holding, buying])?.intent.amount).toBe(d("1"));
    expect(countRequests([holding, buying])).toBeUndefined();
  });

  it("is tried five times and then given up", () => {
    const tried = [0, 1, 2, 3, 4, 5].map(
      (tries) => countRequests([selling(0), selling(7)], tries) !== undefined,
    );
    expect(tried).toEqual([true, true, true, true, true, false]);
  });
});
