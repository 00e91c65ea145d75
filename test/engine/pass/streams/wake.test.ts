import { describe, expect, it } from "vitest";
import { kindsOf } from "../../../../src/engine/accounts.ts";
import { reaches, wakesOf } from "../../../../src/engine/pass/streams/follow.ts";
import { kindsWith } from "../../../../src/kinds.ts";
import type { Strategy } from "../../../../src/model/strategy.ts";
import type { StrategyView } from "../../../../src/ports/stores/store.ts";
import { AROUND, d, slot, state } from "../../../support/grid.ts";
import { ACCOUNT, strategy } from "../../../support/made.ts";

const KINDS = kindsOf(kindsWith([]));

const view = (over: Partial<Strategy> = {}, around: Partial<StrategyView> = {}): StrategyView =>
  ({ strategy: strategy(over), memory: { turn: 0 }, accountError: null, ...around }) as StrategyView;

const wakes = (...views: StrategyView[]) => wakesOf(views, KINDS).get(ACCOUNT);

const RANGE = { lowerPrice: d("100"), upperPrice: d("120"), gridLevels: 2, gridSpacing: d("10") };

describe("what an account waits for", () => {
  it("follows the orders of its pairs, and no price if only fills concern it", () => {
    expect(wakes(view(), view({ symbol: "ETH/USDT" }))).toEqual({
      orders: ["BTC/USDT", "ETH/USDT"],
      prices: [],
      at: new Map(),
      isQuiet: true,
    });
  });

  it("follows the price of a pair with a stop price, and keeps the tick", () => {
    const config = { stopLossPrice: d("90"), takeProfitPrice: d("130") } as never;
    expect(wakes(view({ config }), view({ symbol: "ETH/USDT" }))).toMatchObject({
      prices: ["BTC/USDT"],
      at: new Map([["BTC/USDT", [{ below: d("90"), above: d("130") }]]]),
      isQuiet: false,
    });
  });

  it("includes where a grid moves its slots", () => {
    const trailing = view({ config: { ...RANGE, trail: { up: d("200") } } as never });
    expect(wakes(trailing)?.at.get("BTC/USDT")).toEqual([{ below: undefined, above: d("130") }]);
    const centered = view({ config: { ...RANGE, centered: AROUND } as never });
    expect(wakes(centered)?.at.get("BTC/USDT")).toEqual([{ below: d("98.425"), above: d("121.575") }]);
  });

  it("includes the distance at which quotes move", () => {
    const quotes = (reference: unknown) =>
      view({
        kind: "quote",
        config: { tolerance: { price: d("0.01"), amount: d("0.5") } } as never,
        state: { ...strategy().state, quoted: { reference } } as never,
      });
    expect(wakes(quotes(d("100")))).toMatchObject({
      at: new Map([["BTC/USDT", [{ below: d("99"), above: d("101") }]]]),
      isQuiet: false,
    });
    expect(wakes(quotes(null))).toMatchObject({ prices: [], isQuiet: false });
  });

  it.each([
    ["places orders", view({ phase: "placing" })],
    ["stops", view({ wants: "stop" })],
    ["is paused", view({ wants: "pause" })],
    ["reports an error", view({ lastError: "no funds" })],
    [
      "waits for funds",
      view({ state: state([slot()], { refused: [{ slot: 0, reason: "no_quote" }] as never }) }),
    ],
    ["buys its first base", view({ state: state([slot()], { firstBuy: { tries: 1 } }) })],
    ["has a requested change", view({ edits: 1 })],
    ["is of a kind that needs each tick", view({ kind: "declared", config: { definition: "x" } as never })],
    ["is unknown to this version", view({ kind: "newer" })],
    ["had a failed pass", view({}, { accountError: "no response" })],
    ["had an incomplete pass", view({}, { memory: { turn: 1 } as never })],
  ])("keeps the tick while a strategy %s", (_why, busy) => {
    expect(wakes(view(), busy)?.isQuiet).toBe(false);
  });

  it("ignores simulated accounts", () => {
    expect(wakesOf([view({ account: "dry:kraken:api.kraken.com" })], KINDS).size).toBe(0);
  });
});

describe("a price", () => {
  const prices = [{ below: d("90") }, { above: d("110") }];
  it.each([
    ["89.9", "90.1", true],
    ["90", "90.1", false],
    ["109.9", "110.1", true],
    ["109.8", "110.1", false],
  ])("of %s and %s wakes: %s", (bid, ask, isWoken) => {
    expect(reaches(prices, { bid: d(bid), ask: d(ask) })).toBe(isWoken);
  });
});
