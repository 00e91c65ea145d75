import { describe, expect, it } from "vitest";
import { withdrawable } from "../../../src/account/operations/withdrawable.ts";
import type { Need } from "../../../src/engine/reserves.ts";
import {
  type GuideMarket,
  type GuideRequest,
  guided,
  pastOut,
  startOf,
} from "../../../src/grid/operations/guide.ts";
import type { GridConfig } from "../../../src/grid/state/config.ts";
import { HOUR } from "../../../src/kernel/time.ts";
import type { Candle } from "../../../src/model/market.ts";
import type { Reserve } from "../../../src/model/strategy.ts";
import { d, market } from "../../support/grid.ts";

const candle = (low: string, high: string, at = 0): Candle => ({
  at,
  open: d(low),
  high: d(high),
  low: d(low),
  close: d(high),
  volume: d("1"),
});
/** Without fees. The price was between 90 and 110, and is at 100. */
const FREE = market({ maker: 0n, taker: 0n });
const INPUTS: GuideMarket = {
  market: FREE,
  candles: [candle("90", "104"), candle("95", "110")],
  mid: d("100"),
};
const guide = (request: Partial<GuideRequest> = {}, setup: Partial<GuideMarket> = {}) =>
  guided({ budget: d("3300"), onLeave: "wait", ...request }, { ...INPUTS, ...setup });
const rangeOf = (low: string, high: string, setup: Partial<GuideMarket> = {}) => {
  const { lowerPrice, upperPrice } = guide({}, { candles: [candle(low, high)], ...setup });
  return [lowerPrice, upperPrice];
};

describe("a guided range", () => {
  it("covers past and current prices, plus a twentieth on either side", () => {
    const { lowerPrice, upperPrice } = guide();
    expect([lowerPrice, upperPrice]).toEqual([d("89"), d("111")]);
    expect(rangeOf("95", "97")).toEqual([d("94.75"), d("100.25")]);
    expect(rangeOf("105", "110")).toEqual([d("99.5"), d("110.5")]);
  });

  it("is wide enough for four levels if the price never moved", () => {
    // 0.6 % of 100, four times.
    expect(rangeOf("100", "100")).toEqual([d("98.8"), d("101.2")]);
    // 1 and a margin of 0.1 are there already: 1.324 are missing.
    expect(rangeOf("99.5", "100.5")).toEqual([d("98.79"), d("101.21")]);
  });

  it("never goes below half the lowest price, and never to zero", () => {
    expect(rangeOf("10", "1000")).toEqual([d("5"), d("1049.5")]);
    const coarse = market({ tick: d("1"), maker: 0n, taker: 0n });
    expect(rangeOf("1", "120", { market: coarse })).toEqual([d("1"), d("126")]);
  });

  it("is rounded to five digits if the market's ticks allow it, otherwise to ticks", () => {
    expect(rangeOf("50123.45", "60789.01", { mid: d("55555") })).toEqual([d("49590"), d("61323")]);
    const odd = market({ tick: d("0.3"), maker: 0n, taker: 0n });
    expect(rangeOf("50123.45", "60789.01", { mid: d("55555"), market: odd })).toEqual([
      d("49590"),
      d("61322.4"),
    ]);
  });
});

describe("the levels of a guided grid", () => {
  it("are 0.6 % apart, as many as fit", () => {
    // 22 over 33 is 0.6042 % of the upper slot's lower price; over 34 it is less.
    expect(guide()).toMatchObject({ gridLevels: 33, orderSize: d("100") });
    expect(guide({}, { candles: [candle("30", "300")] }).gridLevels).toBe(50);
  });

  it("are spaced at three times the fees", () => {
    // 1 % for the buy and 1 % for the sell come to 2.0203 %: 6.06 % are asked for.
    const dear = market({ maker: d("0.01"), taker: d("0.01") });
    expect(guide({}, { market: dear }).gridLevels).toBe(4);
  });

  it("can have exactly the minimum spacing", () => {
    // Five of 0.6 from 97.6 to 100.6: the uppermost one ends 0.6 % above 100.
    expect(guide({}, { candles: [candle("97.74", "100.46")] })).toMatchObject({
      lowerPrice: d("97.6"),
      upperPrice: d("100.6"),
      gridLevels: 5,
    });
  });

  it("are fewer if the budget cannot pay for more orders, and stay within it", () => {
    // Each order has to sell 5 at the upper price.
    const { gridLevels, orderSize } = guide({ budget: d("60") });
    expect(gridLevels).toBeLessThan(12);
    expect(gridLevels).toBeGreaterThan(9);
    expect(orderSize * BigInt(gridLevels)).toBeLessThanOrEqual(d("60"));
    expect(orderSize * BigInt(gridLevels)).toBeGreaterThan(d("59.8"));
    // Fees in quote are of the budget, too, and a size is told in cents.
    const fees = market({ maker: 0n, taker: d("0.001") });
    expect(guide({}, { market: fees }).orderSize).toBe(d("99.9"));
  });
});

describe("a guided grid after the price leaves its range", () => {
  it("waits if it has no bound", () => {
    expect(Object.keys(guide()).sort()).toEqual(["gridLevels", "lowerPrice", "orderSize", "upperPrice"]);
  });

  it("stops a tenth of its width beyond the range", () => {
    const stops = guide({ onLeave: "stop" });
    expect(stops).toMatchObject({ stopLossPrice: d("86.8"), takeProfitPrice: d("113.2"), gridLevels: 33 });
    expect(stops).not.toHaveProperty("trail");
    expect(guide({ onLeave: "stop" }, { candles: [candle("10", "1000")] }).stopLossPrice).toBe(d("2.5"));
  });

  it("follows by half its width, and has orders for every level there", () => {
    const follows = guide({ onLeave: "follow" });
    expect(follows).toMatchObject({ trail: { down: d("78"), up: d("122") }, gridLevels: 33 });
    expect(follows).not.toHaveProperty("stopLossPrice");
    // 16 more levels on either side.
    expect(follows.orderSize).toBe(d("50.76"));
  });

  it("has no bound at zero", () => {
    const coarse = { market: market({ tick: d("1"), maker: 0n, taker: 0n }), candles: [candle("1", "120")] };
    expect(guide({ onLeave: "stop" }, coarse).stopLossPrice).toBe(d("1"));
    expect(guide({ onLeave: "follow" }, coarse).trail?.down).toBe(d("1"));
  });
});

describe("a budget that is too small", () => {
  const least = (request: Partial<GuideRequest>, setup: Partial<GuideMarket> = {}): string => {
    try {
      return `${guide({ budget: d("1"), ...request }, setup).gridLevels} levels`;
    } catch (error) {
      const { label, message } = error as Error & { readonly label: string };
      return `${label}: ${message}`;
    }
  };
  const atLeast = (budget: string) =>
    `Invalid amount: the budget must be at least ${budget} USDT here; the exchange accepts no smaller orders`;

  it("is rejected with the minimum that works, to a cent, and that minimum works", () => {
    // Two orders of 5.01: at 111 the least lots of 5 are worth 5.0005.
    expect(least({})).toBe(atLeast("10.02"));
    expect(guide({ budget: d("10.02") })).toMatchObject({ gridLevels: 2, orderSize: d("5.01") });
    expect(least({ budget: d("10.01") })).toBe(atLeast("10.02"));
  });

  it("is measured by the most expensive of its orders", () => {
    // In whole lots one of 100 to 111 takes 111, and one of 89 to 100 less.
    const whole = { market: market({ lot: d("1"), maker: 0n, taker: 0n }) };
    expect(least({ budget: d("221.98") }, whole)).toBe(atLeast("222"));
    expect(guide({ budget: d("222") }, whole)).toMatchObject({ gridLevels: 2, orderSize: d("111") });
  });

  it("must cover fees, and levels to which the grid follows", () => {
    const fees = { market: market({ maker: 0n, taker: d("0.1") }) };
    expect(least({}, fees)).toBe(atLeast("11.03"));
    expect(guide({ budget: d("11.03") }, fees).gridLevels).toBe(2);
    expect(least({ onLeave: "follow" })).toBe(atLeast("20.04"));
    expect(guide({ budget: d("20.04"), onLeave: "follow" }).gridLevels).toBe(2);
  });
});

describe("a guided start converted to a request", () => {
  const request = {
    exchange: "kraken",
    symbol: "BTC/USDT",
    budget: d("500"),
    width: "usual",
    onLeave: "wait",
  } as Parameters<typeof startOf>[0];
  const grid = { lowerPrice: d("89"), upperPrice: d("111"), gridLevels: 33, orderSize: d("15.15") };
  const where = { definition: "grid", exchange: "kraken", symbol: "BTC/USDT" };
  const settings = {
    lowerPrice: 89,
    upperPrice: 111,
    gridLevels: 33,
    orderSize: 15.15,
    allowLoss: false,
    useOwnBase: false,
  };
  const result = (over: object = {}) => ({ ...where, config: { ...settings, ...over } });
  const start = (over: Partial<typeof request> = {}, of: Partial<GridConfig> = {}) =>
    startOf({ ...request, ...over }, { ...grid, ...of } as never);

  it("contains the computed numbers and the other requested fields", () => {
    expect(start()).toEqual(result());
    expect(start({ useOwnBase: true })).toEqual(result({ useOwnBase: true }));
    expect(start({}, { stopLossPrice: d("80") })).toEqual(result({ stopLossPrice: 80 }));
    expect(start({}, { takeProfitPrice: d("120") })).toEqual(result({ takeProfitPrice: 120 }));
    expect(start({}, { trail: { up: d("122"), down: d("78") } })).toEqual(
      result({ trail: { up: 122, down: 78 } }),
    );
  });

  it("uses paper trading if requested", () => {
    expect(start({ dryRun: true, dryBalance: { USDT: d("500"), BTC: d("0.5") } })).toEqual({
      ...result(),
      dryRun: true,
      dryBalance: "USDT=500,BTC=0.5",
    });
    expect(start({ dryRun: false })).toEqual(result());
  });
});

describe("the price history that a guide used", () => {
  it("runs from its first candle to the end of its last, with the lowest and highest price", () => {
    const candles = [
      candle("90", "104", 5 * HOUR),
      candle("88", "99", 6 * HOUR),
      candle("95", "110", 7 * HOUR),
    ];
    expect(pastOut(candles, HOUR)).toEqual({ from: 5 * HOUR, until: 8 * HOUR, lowPrice: 88, highPrice: 110 });
  });
});

const balance = (asset: string, free: string, used = "0") => ({ asset, free: d(free), used: d(used) });
const need = (quote: string, base = "0", over: Partial<Reserve> = {}, cost = "0"): Need => ({
  strategy: { id: "g", symbol: "BTC/USDT" },
  reserve: { quote: d(quote), base: d(base), locked: { quote: 0n, base: 0n }, ...over },
  cost: d(cost),
});
const usdt = (free: string, needs: readonly Need[], used = "0") =>
  withdrawable([balance("USDT", free, used)], needs).find(({ asset }) => asset === "USDT");

describe("the withdrawable amount of an account", () => {
  it("is the free balance beyond what strategies need, per asset", () => {
    expect(
      withdrawable([balance("USDT", "100", "20"), balance("ETH", "3"), balance("XRP", "0")], [need("70")]),
    ).toEqual([
      { asset: "USDT", free: d("100"), used: d("20"), kept: d("70"), most: d("30"), missing: 0n },
      { asset: "ETH", free: d("3"), used: 0n, kept: 0n, most: d("3"), missing: 0n },
      { asset: "BTC", free: 0n, used: 0n, kept: 0n, most: 0n, missing: 0n },
    ]);
    // What lies in orders alone is an asset of the account as well.
    expect(withdrawable([balance("ETH", "0", "2")], [])).toMatchObject([
      { asset: "ETH", used: d("2"), most: 0n },
    ]);
  });

  it("is zero if strategies already lack some", () => {
    expect(usdt("50", [need("70")])).toMatchObject({ most: 0n, kept: d("50"), missing: d("20") });
    const unread = Object.assign([balance("ETH", "1")], {
      unreadable: [{ asset: "USDT", reason: "no number" }],
    });
    expect(withdrawable(unread, [need("70")]).map(({ asset }) => asset)).not.toContain("USDT");
    const [, base] = withdrawable([balance("USDT", "100")], [need("0", "2")]);
    expect(base).toMatchObject({ asset: "BTC", missing: d("2") });
  });

  it("leaves enough for a strategy's limit on the share of capital in buys", () => {
    // Its buys come to 40: 80 % of a capital of 50.
    const most = { maxPosition: d("0.8") };
    expect(usdt("200", [need("40", "0", most)])).toMatchObject({ most: d("150") });
    // What it holds has cost 40 more: 80 % of a capital of 100, of which 40 are base.
    expect(usdt("200", [need("40", "0", most, "40")])).toMatchObject({ most: d("140") });
    // What its orders have locked is bought as well.
    const locked = { ...most, locked: { quote: d("20"), base: 0n } };
    expect(usdt("180", [need("20", "0", locked)], "20")).toMatchObject({ most: d("150") });
  });

  it("leaves enough for the share of capital that a strategy's buys must not use", () => {
    // A fifth of what is left stays: of 250, 50 stay when 200 are bought.
    const reserve = { safetyReserve: d("0.2") };
    expect(usdt("1000", [need("200", "0", reserve)])).toMatchObject({ most: d("750") });
    // Base that has cost 100 is capital too: of 50 + 200 + 100 a fifth is 70.
    expect(usdt("1000", [need("200", "0", reserve, "100")])).toMatchObject({ most: d("725") });
    expect(usdt("1000", [need("200", "0", { safetyReserve: d("1") })])).toMatchObject({ most: 0n });
  });

  it("counts shares only in the pair's quote", () => {
    const eth = {
      ...need("40", "0", { maxPosition: d("0.1") }),
      strategy: { id: "h", symbol: "BTC/EUR" },
    } as Need;
    expect(usdt("200", [eth])).toMatchObject({ most: d("200") });
  });
});
