import { expect, it } from "vitest";
import { readMeasuredFills } from "../../../src/engine/pass/observe.ts";
import type { MarketSnapshot } from "../../../src/engine/reconcile/reconcile.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import { SECOND } from "../../../src/kernel/time.ts";
import type { MeasuredFill } from "../../../src/model/order.ts";
import type { Kinds } from "../../../src/ports/kind.ts";
import { NOW, observedMarket, SYMBOL, snapshot, strategy } from "../../support/made.ts";

/** The queries of a pass, and the fills that it gives to the pair's strategies. */
async function reads(need: object | undefined, filledAt: number | undefined, bookAt: number | null = NOW) {
  const queries: unknown[] = [];
  const store = {
    async measuredFillsOf(id: string, page: object) {
      queries.push([id, page]);
      return [{ strategy: id } as MeasuredFill];
    },
  };
  const known = snapshot({ strategies: [strategy({ id: "a" }), strategy({ id: "b" })] });
  const memory = { ...known.memory, ...(filledAt === undefined ? {} : { filledAt: { [SYMBOL]: filledAt } }) };
  const book = bookAt === null ? undefined : { bids: [], asks: [], at: bookAt };
  const markets = new Map<Pair, MarketSnapshot>([[SYMBOL, observedMarket({ book })]]);
  const kinds = (() => ({ fillsFor: () => need })) as unknown as Kinds;
  await readMeasuredFills({ kinds, store }, { ...known, memory }, markets);
  return { queries, fills: markets.get(SYMBOL)?.fills?.map((fill) => fill.strategy) };
}

const NEED = { within: 45 * SECOND, count: 100 };

it("a pass reads a bounded number of fills for each strategy that uses them", async () => {
  expect(await reads(NEED, NOW - 45 * SECOND)).toEqual({
    queries: [
      ["a", { limit: 100 }],
      ["b", { limit: 100 }],
    ],
    fills: ["a", "b"],
  });
});

it("a pass reads them by the time of the book, and by its own without a book", async () => {
  const at = NOW - 46 * SECOND;
  expect((await reads(NEED, at, NOW - SECOND)).queries).toHaveLength(2);
  expect((await reads(NEED, NOW - 45 * SECOND, null)).queries).toHaveLength(2);
  expect((await reads(NEED, at, null)).queries).toEqual([]);
});

it.each([
  ["no strategy uses them", undefined, NOW],
  ["the pair has no fills", NEED, undefined],
  ["the newest fill is too old to matter", NEED, NOW - 45 * SECOND - 1],
])("a pass reads no fills if %s", async (_why, need, filledAt) => {
  expect(await reads(need, filledAt)).toEqual({ queries: [], fills: undefined });
});
