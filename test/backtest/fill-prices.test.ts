import { describe, expect, it } from "vitest";
import { isHighFirst } from "../../src/backtest/jump.ts";
import { paper, paperAccount, quoteAt, slippedPrice } from "../../src/backtest/paper-account.ts";
import { shownIn } from "../../src/backtest/queue.ts";
import { fillPricesOf, RULES, type Rules } from "../../src/backtest/ticks.ts";
import { text } from "../../src/kernel/decimal.ts";
import type { Side } from "../../src/model/market.ts";
import type { NewOrder } from "../../src/model/order.ts";
import { d, market } from "../support/grid.ts";

// Every sum here is computed by hand, because the walk and the jump of a backtest share these functions.
const TICK = d("0.5");
const MARKET = market({ tick: TICK, lot: d("0.001"), maker: d("0.001"), taker: d("0.004") });

describe("the price at which an open order fills", () => {
  it.each<[Rules["fill"], string, [number, number]]>([
    // 100 is tick 200. A touch fills at it, a cross needs the next round.
    ["touch", "0", [200, 200]],
    ["cross", "0", [199, 201]],
    // Half of a spread of 1 %: the ask is at 100 when the price is at 99.502, and the bid when it is at 100.502.
    ["touch", "0.01", [199, 202]],
    ["cross", "0.01", [199, 202]],
    // Half of a spread of 2 %: 99.009 and 101.010.
    ["touch", "0.02", [198, 203]],
    ["cross", "0.02", [198, 203]],
  ])("by %s with a spread of %s is %j ticks for a buy and a sell at 100", (fill, spread, ticks) => {
    const prices = fillPricesOf(TICK, { fill, spread: d(spread) });
    expect([prices.buy(d("100")), prices.sell(d("100"))]).toEqual(ticks);
  });
});

const account = (fill: Rules["fill"]) =>
  paper(
    MARKET,
    { ...RULES, fill },
    {
      balances: [
        { asset: "USDT", free: d("1000"), used: 0n },
        { asset: "BTC", free: d("5"), used: 0n },
      ],
      first: { at: 0, ticks: 210 },
    },
  );
const resting = (side: Side, price: string): NewOrder => ({
  clientId: side,
  symbol: "BTC/USDT",
  side,
  type: "limit",
  price: d(price),
  amount: d("2"),
  timeInForce: "post_only",
});
const totals = (box: ReturnType<typeof account>) =>
  Object.fromEntries(box.balances().map(({ asset, free, used }) => [asset, text(free + used)]));

describe("an account in a backtest", () => {
  it.each<[Rules["fill"], Side, number, object]>([
    ["touch", "buy", 200, { USDT: "799.8", BTC: "7" }],
    ["cross", "buy", 200, { USDT: "1000", BTC: "5" }],
    ["cross", "buy", 199, { USDT: "799.8", BTC: "7" }],
    ["touch", "sell", 220, { USDT: "1219.78", BTC: "3" }],
    ["cross", "sell", 220, { USDT: "1000", BTC: "5" }],
    ["cross", "sell", 221, { USDT: "1219.78", BTC: "3" }],
  ])("by %s after a %s to tick %i has paid the maker fee of 0.1 %%", (fill, side, ticks, left) => {
    const box = account(fill);
    box.place(resting(side, side === "buy" ? "100" : "110"));
    box.moveTo({ at: 1000, ticks });
    expect(totals(box)).toEqual(left);
  });

  it("pays the fee of a buy in base where the exchange takes it there", () => {
    const inBase = market({ ...MARKET, buyFeeIn: "base" });
    const box = paperAccount(inBase, { balances: [{ asset: "USDT", free: d("1000"), used: 0n }], at: 0 });
    box.place(resting("buy", "100"), [], 0);
    const [order] = box.resting();
    if (order) box.fill(order, d("2"), 1);
    expect(box.balances().map(({ asset, free }) => [asset, text(free)])).toEqual([
      ["USDT", "800"],
      ["BTC", "1.998"],
    ]);
  });

  it("pays the taker fee and the slippage of an order that fills at once", () => {
    const box = paper(
      MARKET,
      { ...RULES, slippage: d("0.01") },
      {
        balances: [{ asset: "USDT", free: d("1000"), used: 0n }],
        first: { at: 0, ticks: 200 },
      },
    );
    box.place({ ...resting("buy", "0"), type: "market", timeInForce: "ioc" } as never);
    // The ask is one tick above 100; with 1 % slippage 101.505, at the next round 102; the fee is 0.4 %.
    expect(totals(box)).toMatchObject({ BTC: "2", USDT: "795.184" });
  });
});

describe("the prices of a backtest", () => {
  it("have half of the spread on each side, and at least a tick", () => {
    const at = (spread: string) => quoteAt(MARKET, { ...RULES, spread: d(spread) }, { at: 5, ticks: 200 });
    expect(at("0")).toEqual({ bid: d("99.5"), ask: d("100.5"), at: 5 });
    expect(at("0.04")).toEqual({ bid: d("98"), ask: d("102"), at: 5 });
  });

  it("slip against the order, on both sides, and to whole ticks", () => {
    const quote = { bid: d("100"), ask: d("101"), at: 0 };
    const slip = (side: Side) => text(slippedPrice(MARKET, { ...RULES, slippage: d("0.01") }, side, quote));
    expect([slip("buy"), slip("sell")]).toEqual(["102.5", "99"]);
  });

  it("visit the nearer extreme first, and the low if both are as near", () => {
    const bar = (open: number, low: number, high: number) =>
      ({ rows: Int32Array.of(open, low, high, open) }) as never;
    const first = [bar(10, 5, 12), bar(10, 8, 15), bar(10, 5, 15)].map((one) =>
      isHighFirst(one, 0, "nearest"),
    );
    expect(first).toEqual([true, false, false]);
  });

  it("leave no more before an order than the book shows at its price", () => {
    const queue = { ahead: d("5"), level: d("8") };
    expect(shownIn(queue, d("3"), "trades")).toEqual({ ahead: d("3"), level: d("3") });
    expect(shownIn(queue, d("4"), "proportional")).toEqual({ ahead: d("2.5"), level: d("4") });
    expect(shownIn(queue, null, "trades")).toEqual(queue);
  });
});
