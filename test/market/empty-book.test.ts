import { expect, it } from "vitest";
import type { Book } from "../../src/model/market.ts";
import { testApp } from "../support/app.ts";
import { d } from "../support/grid.ts";

const LEVELS = [{ price: d("60000"), amount: d("1") }];

it.each<[string, Partial<Book>]>([
  ["bids", { bids: [], asks: LEVELS }],
  ["asks", { bids: LEVELS, asks: [] }],
])("a book without %s has no spread, and its mid is not half of the other side", async (side, levels) => {
  const app = await testApp({
    connect: (deps) => ({
      ...deps,
      venue: (exchange) => ({
        ...deps.venue(exchange),
        book: async () => ({ bids: [], asks: [], at: 1, ...levels }),
      }),
    }),
  });
  const response = await app.ask("/api/v1/orderbook?exchange=kraken&symbol=BTC/USDT");
  expect({ status: response.status, ...((await response.json()) as object) }).toMatchObject({
    status: 500,
    error: "Exchange error",
    message: expect.stringContaining(`no ${side}`),
  });
});
