import { defineStrategy, z } from "edgemaker";

/** Keeps a share of what it has in base: it trades back to the target when the share is too far from it. */
export default defineStrategy({
  name: "rebalance",
  summary: "Keep a target share in base",
  config: z.object({
    target: z.number().gt(0).lt(1).default(0.5).describe("Share of base"),
    band: z.number().gt(0).lt(1).default(0.02).describe("Distance from the target at which it trades"),
  }),
  tolerance: { price: 0.001, amount: 0.8 },
  orders({ config, quote, free }) {
    const worth = free.base.times(quote.mid).plus(free.quote);
    if (!worth.isMore(0)) return [];
    const target = worth.times(config.target).dividedBy(quote.mid);
    const missing = target.minus(free.base);
    if (!missing.abs().times(quote.mid).dividedBy(worth).isMore(config.band)) return [];
    return missing.isMore(0)
      ? [{ id: "balance", side: "buy", price: quote.bid, size: missing }]
      : [{ id: "balance", side: "sell", price: quote.ask, size: missing.abs() }];
  },
});
