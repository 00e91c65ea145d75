import { expect, it } from "vitest";
import { drivenApp } from "../support/driven.ts";
import { previewOf, startOf } from "../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const RANGE = { ...MARKET, lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 6, orderSize: 200 };

interface Uses {
  readonly uses: { readonly quote: string; readonly base: string };
}

it.each([
  ["grid", RANGE],
  ["grid", { ...RANGE, useOwnBase: false }],
  ["centered", { ...MARKET, confidence: 0 }],
])("a start of a %s returns the maximum usage that its preview showed: %o", async (form, request) => {
  const app = await drivenApp();
  const shown = await app.call<Uses>("POST", ...previewOf(form, request));
  const started = await app.call<Uses>("POST", ...startOf(form, request));
  expect([shown.status, started.status]).toEqual([200, 200]);
  const { uses } = shown.body;
  expect(Number(uses.quote)).toBeGreaterThan(0);
  expect(started.body).toMatchObject({ uses });
});

it("a start by the contract's route returns it in the contract's form", async () => {
  const app = await drivenApp();
  const shown = await app.call<Uses>("POST", ...previewOf("grid", RANGE));
  const started = await app.call("POST", "/strategy/grid", RANGE);
  const { quote: maxQuoteUsed, base: ownBaseUsed } = shown.body.uses;
  expect(started).toMatchObject({ status: 200, body: { maxQuoteUsed, ownBaseUsed } });
});
