import { describe, expect, it } from "vitest";
import { paper } from "../../../src/backtest/paper-account.ts";
import { RULES } from "../../../src/backtest/ticks.ts";
import type { Side } from "../../../src/model/market.ts";
import { d, market } from "../../support/grid.ts";

const MARKET = market({ tick: d("1"), lot: d("0.1"), maker: 0n, taker: 0n, minAmount: 0n, minNotional: 0n });
const BALANCES = [
  { asset: "USDT", free: d("10000"), used: 0n },
  { asset: "BTC", free: d("100"), used: 0n },
];

function venueAt(ticks: number, rules: object = {}) {
  const venue = paper(MARKET, { ...RULES, ...rules }, { balances: BALANCES, first: { at: 0, ticks } });
  const place = (side: Side, price: number, more: object = {}) =>
    venue.place({
      clientId: `${side}${price}`,
      symbol: "BTC/USDT",
      side,
      type: "limit",
      price: d(String(price)),
      amount: d("1"),
      timeInForce: "post_only",
      ...more,
    } as never);
  const fills = () => venue.takeFills().map(({ side, price, at }) => `${at} ${side} ${price / d("1")}`);
  return { venue, place, fills };
}

describe("an order on a path of prices", () => {
  it("fills at once if it was placed at the price, and a touch counts", () => {
    const { venue, place, fills } = venueAt(105, { fill: "touch" });
    place("buy", 105);
    place("sell", 107);
    expect(venue.reach()).toEqual({ below: 105, above: 107 });
    expect([venue.moveTo({ at: 10, ticks: 106 }), fills()]).toEqual([true, ["0 buy 105"]]);
    // 106.5 rounds to 107.
    expect([venue.moveTo({ at: 20, ticks: 106 }), venue.moveTo({ at: 30, ticks: 107 }), fills()]).toEqual([
      false,
      true,
      ["25 sell 107"],
    ]);
  });

  it("fills in order of the path, whichever was placed first", () => {
    const { venue, place, fills } = venueAt(105);
    for (const price of [101, 103, 102]) place("buy", price);
    for (const price of [109, 107, 108]) place("sell", price);
    // A tick a millisecond; each fills a tick beyond its price, rounded half up.
    venue.moveTo({ at: 100, ticks: 95 });
    expect(fills()).toEqual(["26 buy 103", "36 buy 102", "46 buy 101"]);
    venue.moveTo({ at: 250, ticks: 110 });
    expect(fills()).toEqual(["225 sell 107", "235 sell 108", "245 sell 109"]);
    expect([venue.reach(), venue.openOrders()]).toEqual([{ below: -Infinity, above: Infinity }, []]);
  });

  it("takes half a spread and the slippage away from the price", () => {
    const { venue, place, fills } = venueAt(1000, { spread: d("0.02"), slippage: d("0.01") });
    expect(venue.quote()).toEqual({ bid: d("990"), ask: d("1010"), at: 0 });
    place("buy", 0, { type: "market", timeInForce: "ioc" });
    place("sell", 0, { type: "market", timeInForce: "ioc" });
    // 1010 and 1 % is 1020.1, and 990 less 1 % is 980.1: both to the worse tick.
    expect(fills()).toEqual(["0 buy 1021", "0 sell 980"]);
    expect(venue.balances()).toEqual([
      { asset: "USDT", free: d("9959"), used: 0n },
      { asset: "BTC", free: d("100"), used: 0n },
    ]);
  });
});
