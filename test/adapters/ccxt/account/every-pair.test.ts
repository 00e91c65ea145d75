import { describe, expect, it } from "vitest";
import { openOnEveryPair } from "../../../../src/adapters/ccxt/account/venue.ts";
import type { Pair } from "../../../../src/kernel/pair.ts";
import type { VenueOrder } from "../../../../src/ports/venue.ts";
import { d } from "../../../support/grid.ts";
import { reportedOrder } from "../../../support/made.ts";

/** Lists the open orders of an account that traded these pairs and has so much locked, and the pairs that were read. */
async function listed(
  locked: Readonly<Record<string, string>>,
  traded: readonly Pair[],
  {
    orders = {},
    names = [],
  }: { orders?: Record<string, readonly VenueOrder[]>; names?: readonly Pair[] } = {},
) {
  const read: string[] = [];
  let namesRead = 0;
  const link = {
    quirks: { name: "mexc" },
    keeping: { traded: { symbols: async () => traded } },
    catalog: {
      async names() {
        namesRead++;
        return new Map(names.map((pair) => [pair, pair]));
      },
    },
  };
  const found = await openOnEveryPair(link as never, "live:mexc:api.mexc.com", {
    balances: async () => Object.entries(locked).map(([asset, used]) => ({ asset, free: 0n, used: d(used) })),
    async openOrders(symbol) {
      read.push(symbol);
      return orders[symbol] ?? [];
    },
  });
  return { ids: found.map(({ id }) => id), read, namesRead };
}

const BUY = reportedOrder({ id: "b", price: d("100"), amount: d("2"), filled: d("0.5") });
const SELL = reportedOrder({ id: "s", side: "sell", amount: d("2"), filled: d("0.5") });

describe("open orders of an exchange that lists one pair at a time", () => {
  it("are those of the traded pairs, each read once", async () => {
    expect(
      await listed({ USDT: "0" }, ["BTC/USDT", "ETH/USDT", "BTC/USDT"], { orders: { "BTC/USDT": [BUY] } }),
    ).toEqual({ ids: ["b"], read: ["BTC/USDT", "ETH/USDT"], namesRead: 0 });
  });

  it("explain what is locked, with two percent more for fees", async () => {
    const of = (locked: Record<string, string>) =>
      listed(locked, ["BTC/USDT"], { orders: { "BTC/USDT": [BUY, SELL] } }).then(({ ids }) => ids);
    // A buy of 1.5 more at 100, and 1.5 base to sell.
    expect(await of({ USDT: "153", BTC: "1.53" })).toEqual(["b", "s"]);
    await expect(of({ USDT: "153.01" })).rejects.toThrow("and USDT is locked in orders on a pair");
    await expect(of({ BTC: "1.5301" })).rejects.toThrow(
      "mexc lists open orders of one pair at a time, and BTC is locked in orders on a pair that edgemaker never traded; name the pair",
    );
    expect(await of({ BTC: "0" })).toEqual(["b", "s"]);
  });

  it("are looked for on the pairs of a locked base, twenty at most", async () => {
    const names = ["ETH/USDT", "BTC/ETH", ...Array.from({ length: 25 }, (_, i) => `ETH/Q${i}`)] as Pair[];
    const sell = { ...SELL, id: "e", symbol: "ETH/Q18" as Pair };
    const found = await listed({ ETH: "1.5" }, ["BTC/USDT"], { orders: { "ETH/Q18": [sell] }, names });
    expect(found).toEqual({
      ids: ["e"],
      read: ["BTC/USDT", "ETH/USDT", ...names.slice(2, 21)],
      namesRead: 1,
    });
    const hidden = { orders: { "ETH/Q19": [{ ...sell, symbol: "ETH/Q19" as Pair }] }, names };
    await expect(listed({ ETH: "1.5" }, [], hidden)).rejects.toMatchObject({ failure: "refused" });
  });
});
