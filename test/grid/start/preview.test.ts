import { describe, expect, it } from "vitest";
import { previewChange, saleOf } from "../../../src/grid/start/preview.ts";
import { type GridStrategy, NO_LEDGER } from "../../../src/grid/state/state.ts";
import { NO_MEMORY } from "../../../src/model/memory.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { StrategyView } from "../../../src/ports/stores/store.ts";
import { d, slot, state } from "../../support/grid.ts";
import { NOW, quote, SYMBOL, strategy } from "../../support/made.ts";

/** Two slots of 100, of which one has bought 2 for 200.005; 12.345 are realized. */
const LEDGER = { ...NO_LEDGER, realized: d("12.345") };
const HOLDS = state([slot({ side: "sell", base: d("2"), cost: d("200.01") }), slot({ index: 1 })], {
  ledger: LEDGER,
});
const grid = (over: Partial<Strategy> = {}) => strategy({ state: HOLDS, ...over }) as GridStrategy;
const view = (over: Partial<Strategy> = {}, marks = {}): StrategyView<GridStrategy> => ({
  strategy: grid(over),
  openOrders: 3,
  memory: { ...NO_MEMORY, marks },
  steppedAt: NOW,
  accountError: null,
  steppedBy: null,
  costs: [],
  now: NOW,
});
const EMPTY = { state: state([slot(), slot({ index: 1 })], { ledger: LEDGER }) };

describe("the approval view of a change", () => {
  it("shows what it does to the grid, and the grid's position", () => {
    expect(previewChange(view(), { text: "pause" })).toEqual({
      what: "pause g, which is running (active) with 3 open orders",
      cost: "nothing at once; 12.35 USDT realized so far",
      worstCase: "2 BTC bought at 100.01 USDT stay in the account and can lose value",
      limits: [],
    });
    expect(previewChange(view(EMPTY), { text: "pause" }).worstCase).toBe("it has no BTC");
  });

  it("of a grid that buys again names all that its slots can buy", () => {
    const preview = previewChange(view(), { text: "resume", buys: true });
    expect(preview.cost).toBe("up to 200 USDT in buys; 12.35 USDT realized so far");
  });

  it("of a stop that sells shows the sale", () => {
    const sale = { text: "2 BTC are sold", worstCase: "it falls" };
    const preview = previewChange(view(), { text: "stop", sale });
    expect(preview).toMatchObject({
      cost: "2 BTC are sold; 12.35 USDT realized so far",
      worstCase: "it falls",
    });
  });

  it("shows that nothing is placed while the kill switch is on", () => {
    expect(previewChange(view(), { text: "resume", killed: true }).limits).toEqual([
      "the kill switch is on: nothing is placed until it is turned off",
    ]);
  });
});

describe("the proceeds of a sale of a grid's base", () => {
  const level = (price: string, amount: string) => ({ price: d(price), amount: d(amount) });
  const book = { bids: [level("100", "1.5"), level("99", "0.5")], asks: [level("106", "9")], at: NOW };
  const UNKNOWN = "the proceeds in the order book are unknown";

  it("are computed from the order book, and valued at its mid", () => {
    expect(saleOf(grid(), { quote: quote(), book, mark: d("50") })).toEqual({
      text: "2 BTC are sold, worth 210 USDT at the mid of 105; at once 2 BTC for 199.5 USDT, at 99.75 on average and 99 at worst, in the current order book",
      worstCase:
        "the price falls during the sale: orders go down to 10 % below the mid price, now 189 USDT, and dust stays",
    });
  });

  it("are valued at the last known price if the exchange cannot be queried", () => {
    expect(saleOf(grid(), { mark: d("50") })).toMatchObject({
      text: `2 BTC are sold, worth 100 USDT at the mid of 50; ${UNKNOWN}`,
    });
    expect(saleOf(grid(), { quote: quote(), book: { ...book, bids: [] }, mark: d("50") }).text).toBe(
      `2 BTC are sold, worth 210 USDT at the mid of 105; ${UNKNOWN}`,
    );
    expect(saleOf({ ...grid(), symbol: SYMBOL }, { mark: d("50.126") }).text).toMatch(
      /^2 BTC are sold, worth 100.25 USDT at the mid of 50.13; /,
    );
  });
});
