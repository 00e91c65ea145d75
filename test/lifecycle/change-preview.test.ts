import { describe, expect, it } from "vitest";
import { gridKind } from "../../src/grid/kind.ts";
import { NO_LEDGER } from "../../src/grid/state/state.ts";
import {
  previewPause,
  previewResume,
  previewStop,
  readSale,
} from "../../src/lifecycle/operations/change-preview.ts";
import type { ReadableStrategy } from "../../src/lifecycle/reading.ts";
import { NO_MEMORY } from "../../src/model/memory.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import type { Kind } from "../../src/ports/kind.ts";
import { d, slot, state } from "../support/grid.ts";
import { NOW, quote, strategy } from "../support/made.ts";

/** Two slots of 100, of which one has bought 2 for 200.01; 12.345 are realized. */
const LEDGER = { ...NO_LEDGER, realized: d("12.345") };
const HOLDS = state([slot({ side: "sell", base: d("2"), cost: d("200.01") }), slot({ index: 1 })], {
  ledger: LEDGER,
});
const view = (over: Partial<Strategy> = {}, mid?: string): ReadableStrategy => {
  const one = strategy({ state: HOLDS, ...over });
  return {
    kind: gridKind as unknown as Kind,
    strategy: one,
    openOrders: 3,
    memory:
      mid === undefined ? NO_MEMORY : { ...NO_MEMORY, marks: { [one.symbol]: { mid: d(mid) } } as never },
    steppedAt: NOW,
    accountError: null,
    retryAt: 0,
    steppedBy: null,
    costs: [],
    now: NOW,
  };
};
const EMPTY = { state: state([slot(), slot({ index: 1 })], { ledger: LEDGER }) };

describe("the preview of a change", () => {
  it("of a pause shows what becomes of the orders, the position, and which prices are not watched", () => {
    expect(previewPause(view(), false)).toEqual({
      isPaper: false,
      what: "pause, leaving its orders open, g, which is running (active) with 3 open orders",
      cost: "nothing at once; 12.35 USDT realized so far",
      worstCase: "2 BTC bought at 100.01 USDT stay in the account and can lose value",
      limits: ["nothing new is placed until it is resumed"],
    });
    const protectedView = view({ config: { ...view().strategy.config, stopLossPrice: d("90") } });
    const cancels = previewPause(protectedView, true);
    expect(cancels.what).toMatch(/^pause, canceling its orders, g,/);
    expect(cancels.limits).toContain("until then, its stop price of 90 USDT is not watched");
    const ends = { trailingStop: d("0.05"), endsAt: Date.UTC(2027, 0, 31, 18) };
    expect(previewPause(view({ config: { ...view().strategy.config, ...ends } }), true).limits).toEqual([
      "nothing new is placed until it is resumed",
      "until then, its trailing stop of 5 % is not watched",
      "until then, it does not end at 2027-01-31 18:00 UTC",
    ]);
    expect(previewPause(view(EMPTY), true).worstCase).toBe("it has no BTC");
  });

  it("of a resume shows what its orders can use, and whether the kill switch blocks them", () => {
    const preview = previewResume(view(), "up to 200 USDT in buys", true);
    expect(preview.cost).toBe("up to 200 USDT in buys; 12.35 USDT realized so far");
    expect(preview.limits).toContain("the kill switch is on: nothing is placed until it is turned off");
  });

  it("of a stop shows what becomes of the orders, or the sale", () => {
    const of = (cancelOrders: boolean, sale?: { text: string; worstCase: string }) =>
      previewStop(view(), { cancelOrders, sale, killed: true });
    expect(of(true).what).toMatch(/^stop, canceling its orders, g,/);
    expect(of(false).what).toMatch(/^stop, leaving its orders, g,/);
    expect(of(true).limits).toEqual([]);
    expect(of(true, { text: "2 BTC are sold", worstCase: "it falls" })).toMatchObject({
      cost: "2 BTC are sold; 12.35 USDT realized so far",
      worstCase: "it falls",
      limits: ["the kill switch is on: nothing is placed until it is turned off"],
    });
  });
});

describe("the proceeds of a sale of a strategy's base", () => {
  const level = (price: string, amount: string) => ({ price: d(price), amount: d(amount) });
  const BOOK = { bids: [level("100", "1.5"), level("99", "0.5")], asks: [level("106", "9")], at: NOW };
  const sale = (book: object | undefined, mid?: string) =>
    readSale(
      {
        venueOf: () =>
          book ? ({ ticker: async () => quote(), book: async () => book } as never) : undefined,
      },
      view({}, mid),
    );
  const UNKNOWN = "the proceeds in the order book are unknown";

  it("are computed from the order book, and valued at its mid", async () => {
    expect(await sale(BOOK, "50")).toEqual({
      text: "2 BTC are sold, worth 210 USDT at the mid of 105; at once 2 BTC for 199.5 USDT, at 99.75 on average and 99 at worst, in the current order book",
      worstCase:
        "the price falls during the sale: orders go down to 10 % below the mid price, now 189 USDT, and dust stays",
    });
  });

  it("are valued at the last known price if the exchange cannot be queried, or not at all", async () => {
    expect((await sale(undefined, "50")).text).toBe(
      `2 BTC are sold, worth 100 USDT at the mid of 50; ${UNKNOWN}`,
    );
    expect((await sale({ ...BOOK, bids: [] }, "50")).text).toBe(
      `2 BTC are sold, worth 210 USDT at the mid of 105; ${UNKNOWN}`,
    );
    expect((await sale(undefined, "50.126")).text).toMatch(
      /^2 BTC are sold, worth 100.25 USDT at the mid of 50.13; /,
    );
    expect((await sale(undefined)).text).toBe("2 BTC are sold, at an unknown price");
  });
});
