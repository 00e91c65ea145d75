import { expect, it } from "vitest";
import { isBlind, votersOf } from "../../../src/quote/pass/sources.ts";
import { d } from "../../support/grid.ts";

const price = (source: string) => ({ source, price: d("100"), at: 5 });
const context = {
  now: 1000,
  isSimulated: false,
  observed: { open: [], elsewhere: { prices: [price("dex"), price("kraken")], requestedAt: 5, bookAt: 400 } },
} as never;
const config = (dex: string, others: string) =>
  ({ weights: { own: d("1"), dex: d(dex), others: d(others) }, maxAge: 600 }) as never;

it("a price of a pool has its own weight, and those of exchanges another one", () => {
  const weights = (dex: string, others: string) =>
    votersOf(config(dex, others), context).sources.map(({ source, weight }) => [source, weight]);
  expect(weights("2", "3")).toEqual([
    ["own", d("1")],
    ["dex", d("2")],
    ["kraken", d("3")],
  ]);
  expect(weights("0", "3").map(([source]) => source)).toEqual(["own", "kraken"]);
});

it("orders stay while a book is missing for no longer than a price counts", () => {
  expect([isBlind(config("1", "1"), context), isBlind({ maxAge: 599 } as never, context)]).toEqual([
    true,
    false,
  ]);
});
