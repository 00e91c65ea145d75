import { expect, it } from "vitest";
import { drivenApp } from "../support/driven.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const RANGE = { ...MARKET, lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 6, orderSize: 200 };

it.each([
  ["/strategy/grid", RANGE],
  ["/strategy/grid", { ...RANGE, useOwnBase: false }],
  ["/strategy/grid/centered", { ...MARKET, confidence: 0 }],
])("a start at %s returns the maximum usage that its preview showed: %o", async (path, request) => {
  const app = await drivenApp();
  type Used = { readonly maxQuoteUsed: string; readonly ownBaseUsed: string };
  const shown = await app.call<Used>("POST", `${path}/preview`, request);
  const started = await app.call<Used>("POST", path, request);
  expect([shown.status, started.status]).toEqual([200, 200]);
  const { maxQuoteUsed, ownBaseUsed } = shown.body;
  expect(Number(maxQuoteUsed)).toBeGreaterThan(0);
  expect(started.body).toMatchObject({ maxQuoteUsed, ownBaseUsed });
});
