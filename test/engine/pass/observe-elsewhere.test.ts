import { expect, it } from "vitest";
import { readElsewhere } from "../../../src/engine/pass/observe.ts";
import type { MarketSnapshot } from "../../../src/engine/reconcile/reconcile.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import type { Elsewhere } from "../../../src/model/memory.ts";
import type { Kinds } from "../../../src/ports/kind.ts";
import { d } from "../../support/grid.ts";
import { NOW, observedMarket, SYMBOL, snapshot, strategy } from "../../support/made.ts";
import { callsLeft, exchangeOf } from "./answering.ts";

/** Kinds of which one reads the book and asks elsewhere as often as its strategy says. */
const kinds = ((kind: string) => ({
  reads: kind === "grid" ? "ticker" : "book",
  ...(kind === "quote" ? { asksElsewhere: ({ every }: { every?: number }) => every && { every } } : {}),
})) as unknown as Kinds;
const quotes = (every?: number, symbol: Pair = SYMBOL) =>
  strategy({ id: `q${every}`, kind: "quote", symbol, config: { every } as never });
const price = (source: string, at: number, of = "100") => ({ source, price: d(of), at });

interface Setup {
  readonly of: readonly ReturnType<typeof strategy>[];
  readonly last?: Elsewhere;
  readonly over?: Partial<MarketSnapshot>;
  readonly calls?: number;
  readonly prices?: readonly { readonly source: string; readonly price: bigint }[];
}

async function readOutput({ of, last, over = {}, calls, prices = [] }: Setup) {
  const { venue } = exchangeOf();
  const requests: unknown[][] = [];
  const markets = new Map<Pair, MarketSnapshot>([[SYMBOL, observedMarket(over)]]);
  const memory = { ...snapshot().memory, ...(last ? { elsewhere: { [SYMBOL]: last } } : {}) };
  const reference = async (...pair: unknown[]) => {
    requests.push(pair);
    return { prices, maxConfidence: null, listed: true };
  };
  await readElsewhere(
    { kinds, reference, venue },
    snapshot({ strategies: of, memory }),
    markets,
    callsLeft(calls),
  );
  return { requests, elsewhere: markets.get(SYMBOL)?.elsewhere };
}

const LAST: Elsewhere = {
  prices: [price("mexc", 5), price("gateio", 5)],
  requestedAt: NOW - 1000,
  bookAt: 7,
};

it("a pass requests no reference if no strategy of the pair reads its book", async () => {
  expect(await readOutput({ of: [strategy()] })).toEqual({ requests: [], elsewhere: undefined });
  expect(await readOutput({ of: [quotes(1000, "ETH/USDT")] })).toEqual({
    requests: [],
    elsewhere: undefined,
  });
  expect(await readOutput({ of: [] })).toEqual({ requests: [], elsewhere: undefined });
});

it("a pass retains the book time and the other prices if no strategy requests a reference", async () => {
  const nothing = { prices: [], requestedAt: null };
  expect(await readOutput({ of: [quotes()] })).toEqual({
    requests: [],
    elsewhere: { ...nothing, bookAt: null },
  });
  const over = { book: { bids: [], asks: [] } } as unknown as Partial<MarketSnapshot>;
  expect((await readOutput({ of: [quotes()], over })).elsewhere).toEqual({ ...nothing, bookAt: NOW });
  expect(await readOutput({ of: [strategy({ kind: "follow" })], last: LAST })).toEqual({
    requests: [],
    elsewhere: LAST,
  });
});

it("a pass requests a reference first at once, then whenever the strictest strategy needs a fresher one", async () => {
  const first = await readOutput({ of: [quotes(5000)], prices: [{ source: "mexc", price: d("99") }] });
  expect(first).toEqual({
    requests: [["kraken", SYMBOL]],
    elsewhere: { prices: [price("mexc", NOW, "99")], requestedAt: NOW, bookAt: null },
  });
  expect((await readOutput({ of: [quotes(1001)], last: LAST })).requests).toEqual([]);
  expect((await readOutput({ of: [quotes(1000)], last: LAST })).requests).toHaveLength(1);
  expect((await readOutput({ of: [quotes(5000), quotes(1000)], last: LAST })).requests).toHaveLength(1);
  expect((await readOutput({ of: [quotes(5000), strategy()], last: LAST })).requests).toEqual([]);
});

it("a pass reuses the last price of a source without a new one, but no zero price", async () => {
  const prices = [
    { source: "mexc", price: d("101") },
    { source: "bitget", price: 0n },
  ];
  const { elsewhere } = await readOutput({ of: [quotes(1000)], last: LAST, prices });
  expect(elsewhere).toEqual({
    prices: [price("gateio", 5), price("mexc", NOW, "101")],
    requestedAt: NOW,
    bookAt: 7,
  });
});

it("a pass without calls left requests no reference", async () => {
  expect(await readOutput({ of: [quotes(1000)], last: LAST, calls: 0 })).toEqual({
    requests: [],
    elsewhere: LAST,
  });
});
