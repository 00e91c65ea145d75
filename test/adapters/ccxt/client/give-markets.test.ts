import { describe, expect, it } from "vitest";
import type { Ccxt, Dict } from "../../../../src/adapters/ccxt/client/ccxt.ts";
import { giveMarkets } from "../../../../src/adapters/ccxt/client/give-markets.ts";
import { light } from "../../../../src/adapters/ccxt/client/light.ts";
import { bitget } from "../../../../src/adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../../../../src/adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../../../../src/adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../../../../src/adapters/ccxt/exchanges/mexc.ts";

const market = (base: string): Dict => ({
  ...{ id: `${base}USDT`, symbol: `${base}/USDT`, base, quote: "USDT", baseId: base, quoteId: "USDT" },
  ...{ type: "spot", spot: true, active: true, precision: { amount: "0.001", price: "0.1" } },
});
const [BTC, ETH] = [market("BTC"), market("ETH")];

/** What its markets have come to. */
const own = (exchange: Ccxt) => {
  const {
    fees: _fees,
    limits: _limits,
    ...made
  } = structuredClone(Object.fromEntries(Object.entries(exchange)));
  return made;
};

describe.each([mexc, gateio, bitget, kraken])("an instance of $name", ({ load, options }) => {
  const maker = async () => light(await load(), { number: String, options });

  it.each([[[]], [[BTC]], [[BTC, ETH]]])("parses markets as ccxt does: %#", async (markets) => {
    const make = await maker();
    const theirs = make({});
    theirs.setMarkets(markets);
    for (const exchange of [make({}), make({})]) {
      giveMarkets(exchange, markets);
      expect(own(exchange)).toEqual(own(theirs));
    }
  });

  it("loads one market, then two, and still finds the first", async () => {
    const make = await maker();
    const [first, second] = [make({}), make({})];
    for (const markets of [[], [BTC]]) for (const exchange of [first, second]) giveMarkets(exchange, markets);
    const before = own(second);
    giveMarkets(first, [BTC, ETH]);
    expect(first.market("ETH/USDT")).toMatchObject({ id: "ETHUSDT" });
    expect(own(second)).toEqual(before);
    expect(second.market("BTC/USDT")).toMatchObject({ id: "BTCUSDT" });
    expect(() => second.market("ETH/USDT")).toThrow(/ETH\/USDT/);
  });
});
