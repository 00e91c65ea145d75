import { expect, it } from "vitest";
import { VenueError } from "../../src/kernel/errors.ts";
import { testApp } from "../support/app.ts";

it.each([
  [
    "are not told just now starts, and knows the volatility later",
    new VenueError("unavailable", "down"),
    200,
  ],
  ["cannot be asked for by a mistake of ours says so", new TypeError("a mistake"), 500],
])("a grid whose last hour's candles %s", async (_name, error, status) => {
  const app = await testApp({
    connect: (deps) => ({
      ...deps,
      venue: (exchange) => ({ ...deps.venue(exchange), candles: () => Promise.reject(error) }),
    }),
  });
  const response = await app.ask("/api/v1/strategies", {
    method: "POST",
    headers: { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" },
    body: JSON.stringify({
      definition: "grid",
      exchange: "kraken",
      symbol: "BTC/USDT",
      config: { geometry: "centered", confidence: 0, volatility: true },
    }),
  });
  expect(response.status).toBe(status);
  expect(await app.store.strategies({})).toHaveLength(status === 200 ? 1 : 0);
});
