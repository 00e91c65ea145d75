import { defineStrategy, z } from "edgemaker";

/** Quotes both sides of the middle of the market. */
export default defineStrategy({
  name: "two-sided",
  summary: "Quote both sides of a market",
  config: z.object({
    spread: z.number().gt(0).lt(1).describe("Full spread, as a fraction"),
    size: z.number().gt(0).describe("Quote per order"),
  }),
  orders({ config, quote }) {
    const half = config.spread / 2;
    return [
      { id: "bid", side: "buy", price: quote.mid.times(1 - half), quoteSize: config.size },
      { id: "ask", side: "sell", price: quote.mid.times(1 + half), quoteSize: config.size },
    ];
  },
});
