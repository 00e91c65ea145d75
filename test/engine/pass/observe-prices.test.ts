import { describe, expect, it } from "vitest";
import { readConfidence, readFeePrices } from "../../../src/engine/pass/own-offers.ts";
import type { MarketSnapshot } from "../../../src/engine/reconcile/reconcile.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { VenueError } from "../../../src/kernel/errors.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import type { Confidence } from "../../../src/model/memory.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { Kinds } from "../../../src/ports/kind.ts";
import type { Reference } from "../../../src/ports/venue.ts";
import { d } from "../../support/grid.ts";
import { NOW, observedMarket, quote, SYMBOL, snapshot, strategy, trade } from "../../support/made.ts";
import { callsLeft, exchangeOf } from "./answering.ts";

const feeIn = (asset: string, amount = "1") => trade({ fees: [{ asset, amount: d(amount) }] });

/** Mids of an exchange that tells each pair's as 104 and 106, but for those that it does not know. */
async function prices(
  over: Partial<MarketSnapshot>,
  {
    unknown = [],
    calls,
    more = [],
  }: { unknown?: string[]; calls?: number; more?: [Pair, MarketSnapshot][] } = {},
) {
  const { venue, requests } = exchangeOf({
    ticker: async (symbol) => {
      if (unknown.includes(symbol)) throw new VenueError("unlisted", "no such pair");
      return quote(symbol === "NIL/USDT" ? { bid: 0n, ask: 0n } : {});
    },
  });
  const markets = new Map<Pair, MarketSnapshot>([[SYMBOL, observedMarket(over)], ...more]);
  const found = await readFeePrices(venue, markets, callsLeft(calls));
  return { found: [...found], requests: requests.map(([, symbol]) => symbol) };
}

describe("the value of fees in other assets", () => {
  it("is requested once for each asset other than base and quote", async () => {
    const trades = [feeIn("MX"), feeIn("MX"), feeIn("BTC"), feeIn("USDT"), feeIn("GT")];
    expect(await prices({ trades })).toEqual({
      found: [
        ["MX/USDT", d("105")],
        ["GT/USDT", d("105")],
      ],
      requests: ["MX/USDT", "GT/USDT"],
    });
    const more: [Pair, MarketSnapshot][] = [["ETH/USDT", observedMarket({ trades: [feeIn("MX")] })]];
    expect((await prices({ trades: [feeIn("MX")] }, { more })).requests).toEqual(["MX/USDT"]);
  });

  it("is omitted if the exchange does not report it, or reports zero", async () => {
    const trades = [feeIn("MX"), feeIn("NIL")];
    expect(await prices({ trades }, { unknown: ["MX/USDT"] })).toMatchObject({ found: [] });
    expect(await prices({ trades }, { calls: 0 })).toEqual({ found: [], requests: [] });
    expect((await prices({ trades }, { calls: 1 })).found).toEqual([["MX/USDT", d("105")]]);
  });

  it("ends the pass if no source reports it and the market is unknown too", async () => {
    const over = { trades: [feeIn("MX")], market: undefined };
    expect((await prices(over)).found).toHaveLength(1);
    await expect(prices(over, { unknown: ["MX/USDT"] })).rejects.toThrow(
      new VenueError("unavailable", "a fee in MX cannot be valued: BTC/USDT was not read"),
    );
  });

  it("ends the pass on an internal error", async () => {
    const { venue } = exchangeOf({ ticker: () => Promise.reject(new TypeError("a mistake")) });
    const markets = new Map<Pair, MarketSnapshot>([[SYMBOL, observedMarket({ trades: [feeIn("MX")] })]]);
    await expect(readFeePrices(venue, markets, callsLeft())).rejects.toThrow("a mistake");
  });
});

const kinds = (() => gridKind) as unknown as Kinds;
const careful = (over: Partial<Strategy> = {}) =>
  strategy({ config: { confidence: d("0.5") } as unknown as Strategy["config"], ...over });
const AGREED: Reference = {
  prices: [{ source: "others", price: d("105") }],
  most: null,
  listed: true,
} as Reference;
const kept = (requestedAt: number): Confidence => ({
  value: d("0.7"),
  source: "before",
  at: requestedAt,
  requestedAt,
});

interface Asking {
  readonly strategies?: readonly Strategy[];
  readonly over?: Partial<MarketSnapshot>;
  readonly known?: Confidence;
  readonly host?: string;
  readonly isAlone?: boolean;
  readonly kill?: boolean;
}

async function confidence({ strategies = [careful()], over = {}, known, host = "h", isAlone, kill }: Asking) {
  const requests: string[] = [];
  const reference = async (exchange: string, symbol: string) => {
    requests.push(`${exchange} ${symbol}`);
    return AGREED;
  };
  const { venue } = exchangeOf({ account: { exchange: "kraken", kind: "live", host } });
  const memory = { ...snapshot().memory, ...(known ? { confidence: { [SYMBOL]: known } } : {}) };
  const budget = callsLeft();
  const found = await readConfidence(
    { reference: isAlone ? undefined : reference, venue, kinds },
    snapshot({ strategies, memory, kill: { on: kill ?? false, cancels: false, sells: false } }),
    { markets: new Map([[SYMBOL, observedMarket(over)]]), reports: new Map() },
    budget,
  );
  expect(budget.made).toBe(requests.length);
  return { value: found.get(SYMBOL)?.value, source: found.get(SYMBOL)?.source, requests };
}

const NOTHING = { value: undefined, source: undefined, requests: [] };

describe("the confidence in a price", () => {
  it("is requested once from other venues, if a strategy needs it and an order may be placed", async () => {
    const once = { value: d("1"), source: "the median of others", requests: ["kraken BTC/USDT"] };
    expect(await confidence({})).toEqual(once);
    expect(await confidence({ strategies: [careful(), careful({ id: "h" })] })).toEqual(once);
    expect(await confidence({ strategies: [strategy(), careful()] })).toEqual(once);
    expect(await confidence({ strategies: [strategy()] })).toEqual(NOTHING);
    expect(await confidence({ kill: true })).toEqual(NOTHING);
    expect(await confidence({ strategies: [careful({ wants: "pause" }), strategy()] })).toEqual(NOTHING);
    expect(await confidence({ over: { quote: undefined } })).toEqual(NOTHING);
  });

  it("is not requested again within a minute", async () => {
    expect(await confidence({ known: kept(NOW - 59_999) })).toEqual({
      value: d("0.7"),
      source: "before",
      requests: [],
    });
    expect((await confidence({ known: kept(NOW - 60_000) })).requests).toHaveLength(1);
  });

  it("is zero for a quote older than a minute, except on a simulated exchange", async () => {
    const over = { quote: quote({ at: NOW - 60_001 }) };
    expect((await confidence({ over })).value).toBe(0n);
    expect((await confidence({ over, host: "" })).value).toBe(d("1"));
  });

  it("is full if there is no other venue to query", async () => {
    expect(await confidence({ isAlone: true })).toEqual({
      value: d("1"),
      source: "no other exchange lists the pair",
      requests: [],
    });
  });
});
