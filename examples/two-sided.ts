import { defineStrategy, z } from "edgemaker";

/** Quotes both sides of the middle of the market. */
export default defineStrategy({
  name: "two-sided",
  summary: "Quote both sides of a market",
  config: z.object({
    spreadPercent: z.number().gt(0).lt(100).describe("Spread between bid and ask, in percent"),
    size: z.number().gt(0).describe("Quote per order"),
  }),
  orders({ config, quote }) {
    const half = config.spreadPercent / 200;
    return [
      { id: "bid", side: "buy", price: quote.mid.times(1 - half), quoteSize: config.size },
      { id: "ask", side: "sell", price: quote.mid.times(1 + half), quoteSize: config.size },
    ];
  },
});
