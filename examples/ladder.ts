import { defineStrategy, z } from "edgemaker";

/** Buys below the market, more the deeper it falls. The ladder follows the price up, and not down. */
export default defineStrategy({
  name: "ladder",
  summary: "Place a ladder of buys below the market",
  config: z.object({
    levels: z.int().min(1).max(50).default(5).describe("Number of buys"),
    first: z.number().gt(0).lt(1).default(0.01).describe("Distance of the first buy from the market"),
    step: z.number().gt(0).lt(1).default(0.01).describe("Distance from one buy to the next"),
    size: z.number().gt(0).describe("Quote of the first buy"),
    growth: z.number().min(1).max(3).default(1.2).describe("Factor from one buy to the next"),
  }),
  // The highest price since the start.
  initial: "0",
  orders({ config, quote, state }) {
    const top = quote.mid.max(state);
    const orders = Array.from({ length: config.levels }, (_, i) => ({
      id: `level-${i}`,
      side: "buy" as const,
      price: top.times(1 - config.first - i * config.step),
      quoteSize: config.size * config.growth ** i,
    }));
    return { orders: orders.filter(({ price }) => price.isLess(quote.ask)), state: top.toString() };
  },
});
