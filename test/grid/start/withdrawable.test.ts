import { describe, expect, it } from "vitest";
import type { Need } from "../../../src/engine/reserves.ts";
import { withdrawable } from "../../../src/grid/operations/guide.ts";
import type { Reserve } from "../../../src/model/strategy.ts";
import { d } from "../../support/grid.ts";

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
      { asset: "USDT", total: d("120"), inOrders: d("20"), kept: d("70"), most: d("30"), missing: 0n },
      { asset: "ETH", total: d("3"), inOrders: 0n, kept: 0n, most: d("3"), missing: 0n },
      { asset: "BTC", total: 0n, inOrders: 0n, kept: 0n, most: 0n, missing: 0n },
    ]);
    // What lies in orders alone is an asset of the account as well.
    expect(withdrawable([balance("ETH", "0", "2")], [])).toMatchObject([
      { asset: "ETH", total: d("2"), most: 0n },
    ]);
  });

  it("is zero if strategies already lack some", () => {
    expect(usdt("50", [need("70")])).toMatchObject({ most: 0n, kept: d("50"), missing: d("20") });
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
