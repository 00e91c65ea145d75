import { describe, expect, it } from "vitest";
import { makerPriced, targetOrderOf, turn, type View } from "../../../src/grid/plan/first-buy.ts";
import { d, market, slot } from "../../support/grid.ts";
import { quote } from "../../support/made.ts";

/** Orders of at least 5 USDT; a slot buys 1 at 100 and sells at 110. */
const MARKET = market({ lot: d("0.001"), minAmount: d("0.001") });
const side = (over: object, mid = "105") => turn(slot(over), MARKET, d(mid)).side;

describe("the side of a slot", () => {
  it("stays buy while it can buy what it lacks, even before its first buy", () => {
    expect(side({ bought: d("0.5"), base: d("0.5") })).toBe("buy");
    expect(side({ bought: d("0.951"), base: d("0.951") })).toBe("sell");
    expect(side({ bought: d("0.951"), base: d("0.01") })).toBe("buy");
    expect(side({ size: d("1"), base: d("1") })).toBe("buy");
  });

  it("becomes buy once a sell slot without base is below the market, or it can buy what it lacks", () => {
    const sells = { side: "sell" } as const;
    expect([side(sells, "100"), side(sells, "100.01")]).toEqual(["sell", "buy"]);
    expect(side({ ...sells, base: d("1") }, "200")).toBe("sell");
    // Too little to sell: the rest of a whole order is bought, wherever the market is.
    const dust = turn(slot({ ...sells, base: d("0.01") }), MARKET, d("90"));
    expect([dust.side, dust.bought]).toEqual(["buy", d("0.01")]);
    expect(side({ ...sells, bought: d("1") }, "90")).toBe("buy");
  });
});

describe("the order that a slot needs", () => {
  it("is what its buy lacks or what it holds, if the exchange accepts that amount", () => {
    expect(targetOrderOf(slot({ bought: d("0.25") }), MARKET)).toEqual({
      side: "buy",
      price: d("100"),
      amount: d("0.75"),
    });
    expect(targetOrderOf(slot({ bought: d("0.96") }), MARKET)).toBeUndefined();
    const sells = { side: "sell", base: d("0.5005"), sold: d("0.1") } as const;
    expect(targetOrderOf(slot(sells), MARKET)).toEqual({ side: "sell", price: d("110"), amount: d("0.4") });
    expect(targetOrderOf(slot({ ...sells, sellAt: d("120") }), MARKET)?.price).toBe(d("120"));
  });

  it("is at a price that the market takes, if its tick is wider than at the start", () => {
    const wider = { ...MARKET, tick: d("3") };
    expect(targetOrderOf(slot({}), wider)).toMatchObject({ side: "buy", price: d("99") });
    expect(targetOrderOf(slot({ side: "sell", base: d("1") }), wider)).toMatchObject({ price: d("111") });
  });

  it("moves to the nearest price if its own would take, unless it can take or no price is left", () => {
    const rest = (bid: string, ask: string, over: object = {}, amount = "1") =>
      makerPriced({ side: "buy", price: d("100"), amount: d(amount) }, {
        config: over,
        market: MARKET,
        quote: quote({ bid: d(bid), ask: d(ask) }),
      } as unknown as View)?.price;
    expect([rest("99", "101"), rest("99", "100")]).toEqual([d("100"), d("99")]);
    expect(rest("99", "100", { postOnly: false })).toBe(d("100"));
    expect(rest("0", "100")).toBe(d("100"));
    // At 1 its notional would be too small.
    expect(rest("1", "100")).toBe(d("100"));
  });
});
