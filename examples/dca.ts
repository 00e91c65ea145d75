import { defineStrategy, z } from "edgemaker";

const HOUR = 3_600_000;

/** Buys for the same amount of quote again and again, and not above a price. */
export default defineStrategy({
  name: "dca",
  summary: "Buy for the same amount at regular times",
  config: z.object({
    size: z.number().gt(0).describe("Quote per buy"),
    hours: z.number().gt(0).max(720).describe("Hours from one buy to the next"),
    highest: z.number().gt(0).optional().describe("Highest price"),
  }),
  tolerance: { price: 0.001, amount: 0 },
  initial: { next: 0, isBuying: true },
  orders({ config, now, quote, fills, open, state }) {
    const { isBuying } = state;
    const next = state.next || now;
    const isDone = isBuying && fills.length > 0 && open.length === 0;
    const after = isDone ? { next: next + config.hours * HOUR, isBuying: false } : { next, isBuying };
    const isDue = after.isBuying || now >= after.next;
    const price = quote.bid.min(config.highest ?? quote.bid);
    return {
      orders: isDue ? [{ id: `buy-${after.next}`, side: "buy", price, quoteSize: config.size }] : [],
      state: { ...after, isBuying: isDue },
    };
  },
});
