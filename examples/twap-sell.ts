import { defineStrategy, Money, z } from "edgemaker";

const HOUR = 3_600_000;

/** Sells an amount in equal parts over some hours, and never more than a share of what stands on the bid side. */
export default defineStrategy({
  name: "twap-sell",
  summary: "Sell an amount in equal parts over time",
  config: z.object({
    amount: z.number().gt(0).describe("Base to sell"),
    hours: z.number().gt(0).max(720).describe("Hours until all of it is offered"),
    share: z
      .number()
      .gt(0)
      .max(1)
      .default(0.1)
      .describe("Largest part of the best bids that one order may be"),
    floor: z.number().gt(0).optional().describe("Lowest price"),
  }),
  tolerance: { price: 0.0005, amount: 0.5 },
  initial: { from: 0, sold: "0" },
  orders({ config, now, quote, book, market, fills, state }) {
    const from = state.from || now;
    const total = fills.reduce((sum, { amount }) => amount.plus(sum), Money.of(state.sold));
    const due = Money.of(config.amount).times(Math.min(1, (now - from) / (config.hours * HOUR)));
    const depth = book.bids.slice(0, 5).reduce((sum, { amount }) => amount.plus(sum), Money.of(0));
    const part = due.minus(total).min(depth.times(config.share)).max(0).floorTo(market.lot);
    const price = quote.ask.max(config.floor ?? 0);
    const isWorthIt = !part.isLess(market.minAmount) && !part.times(price).isLess(market.minNotional);
    return {
      orders: isWorthIt ? [{ id: "part", side: "sell", price, size: part }] : [],
      state: { from, sold: total.toString() },
    };
  },
});
