import { expect, it } from "vitest";
import { kindsOf } from "../../src/engine/accounts.ts";
import { budgetOf } from "../../src/engine/pass/budget.ts";
import { observe } from "../../src/engine/pass/observe.ts";
import { VenueError } from "../../src/kernel/errors.ts";
import type { Elsewhere } from "../../src/model/memory.ts";
import type { Kind } from "../../src/ports/kind.ts";
import type { Snapshot } from "../../src/ports/stores/pass-store.ts";
import type { Store } from "../../src/ports/stores/store.ts";
import type { Reference, Venue } from "../../src/ports/venue.ts";
import { followKind } from "../kinds/follow.ts";
import { d, market } from "../support/grid.ts";
import { virtualLocal } from "../support/local.ts";
import { NOW, SYMBOL, snapshot, strategy, TIMING } from "../support/made.ts";

const EVERY = 20_000;
/** Follows the bid of a book, and goes by other places too. */
const reader = { ...followKind, reads: "book", asksElsewhere: () => ({ every: EVERY }) } as unknown as Kind;
const level = (price: string) => ({ price: d(price), amount: d("1") });

const store = { ordersByIds: async () => [] } as unknown as Store;
const budget = () => budgetOf({ clock: () => 0, last: 1e9 }, 40);

function venue(result: Partial<Venue> = {}): Venue {
  const nobody = async () => {
    throw new VenueError("unavailable", "nobody is to be asked");
  };
  return {
    account: { exchange: "kraken", kind: "sandbox", host: "" },
    timing: TIMING,
    openOrders: async () => [],
    fills: async (_symbol: string, { from }: { from: number }) => ({
      fills: [],
      unreadable: [],
      covered: { from, to: NOW },
      now: NOW,
    }),
    market: async () => market(),
    ticker: nobody,
    balances: nobody,
    book: async () => ({ bids: [level("99")], asks: [level("101")], at: NOW }),
    ...result,
  } as unknown as Venue;
}

const quiet = (memory: object = {}): Snapshot =>
  snapshot({
    strategies: [strategy({ kind: "follow", wants: "pause" })],
    memory: { ...snapshot().memory, ...memory } as Snapshot["memory"],
  });

const observeWith = async (of: { venue?: Venue; snapshot?: Snapshot; answer?: Reference } = {}) => {
  let requestCount = 0;
  const reference = async () => {
    requestCount++;
    return of.answer ?? { prices: [{ source: "mexc", price: d("100") }], maxConfidence: null, listed: true };
  };
  const deps = { store, kinds: kindsOf([reader]), reference, local: virtualLocal(0).local };
  const { markets } = await observe(of.venue ?? venue(), deps, of.snapshot ?? quiet(), budget());
  return { observed: markets.get(SYMBOL), requestCount };
};

it("a pass reads the book instead of the ticker if a kind needs it, and stores other venues' prices", async () => {
  const { observed, requestCount } = await observeWith();
  expect(observed).toMatchObject({ quote: { bid: d("99"), ask: d("101"), at: NOW }, error: null });
  expect(requestCount).toBe(1);
  expect(observed?.elsewhere).toEqual({
    prices: [{ source: "mexc", price: d("100"), at: NOW }],
    requestedAt: NOW,
    bookAt: NOW,
  });
});

it.each([
  ["no bids", { bids: [], asks: [level("1")] }],
  ["no asks", { bids: [level("1")], asks: [] }],
  ["crossed", { bids: [level("2")], asks: [level("2")] }],
])("a pass takes no price from a book that has %s, and reports that", async (what, book) => {
  const { observed } = await observeWith({ venue: venue({ book: async () => ({ ...book, at: NOW }) }) });
  expect(observed?.quote).toBeUndefined();
  expect(observed?.error).toContain(what);
  expect(observed?.book).toMatchObject(book);
});

it("a pass reads other venues again once their responses expire, or reuses the last if one is silent", async () => {
  const before = (requestedAt: number): Elsewhere => ({
    prices: [
      { source: "mexc", price: d("90"), at: requestedAt },
      { source: "gateio", price: d("95"), at: requestedAt },
    ],
    requestedAt,
    bookAt: null,
  });
  const fresh = await observeWith({ snapshot: quiet({ elsewhere: { [SYMBOL]: before(NOW - EVERY + 1) } }) });
  expect(fresh.requestCount).toBe(0);
  expect(fresh.observed?.elsewhere?.prices).toEqual(before(NOW - EVERY + 1).prices);
  const old = await observeWith({ snapshot: quiet({ elsewhere: { [SYMBOL]: before(NOW - EVERY) } }) });
  expect(old.requestCount).toBe(1);
  expect(old.observed?.elsewhere?.prices).toEqual([
    { source: "gateio", price: d("95"), at: NOW - EVERY },
    { source: "mexc", price: d("100"), at: NOW },
  ]);
});

it("a pass records when an unreadable book was last read", async () => {
  const { observed } = await observeWith({
    venue: venue({
      book: async () => {
        throw new VenueError("unavailable", "no answer");
      },
    }),
    snapshot: quiet({ elsewhere: { [SYMBOL]: { prices: [], requestedAt: NOW, bookAt: NOW - 5 } } }),
  });
  expect(observed).toMatchObject({ quote: undefined, error: "no answer", elsewhere: { bookAt: NOW - 5 } });
});
