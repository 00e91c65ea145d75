import { defineStrategy, Money, z } from "edgemaker";

/** Buys at each level below the market, and sells at the next level what it has bought there. */
export default defineStrategy({
  name: "grid-example",
  summary: "Buy at each level and sell at the next one",
  config: z.object({
    lower: z.number().gt(0).describe("Lowest level"),
    upper: z.number().gt(0).describe("Highest level"),
    levels: z.int().min(1).max(100).describe("Number of slots between the levels"),
    size: z.number().gt(0).describe("Quote per order"),
  }),
  tolerance: { price: 0, amount: 0 },
  // The base of each slot whose lower level has been below the market, by its id.
  initial: {} as Record<string, string>,
  orders({ config, quote, market, fills, open, state }) {
    const next = { ...state };
    for (const { id, side, amount } of fills) {
      const before = Money.of(next[id ?? ""] ?? "0");
      if (id !== null) next[id] = String(side === "buy" ? before.plus(amount) : before.minus(amount));
    }
    const step = Money.of(config.upper).minus(config.lower).dividedBy(config.levels);
    const level = (i: number) => step.times(i).plus(config.lower).roundTo(market.tick);
    const orders = Array.from({ length: config.levels }, (_, i) => {
      const id = `slot-${i}`;
      if (next[id] === undefined && !level(i).isLess(quote.mid)) return [];
      next[id] ??= "0";
      const order = open.find((one) => one.id === id);
      const base = Money.of(next[id]);
      const isBuying = !base.isMore(0) || order?.side === "buy";
      // A level beyond the market would take: its order waits beside the market, where it began.
      const price = isBuying
        ? level(i).isLess(quote.ask)
          ? level(i)
          : (order?.price ?? quote.bid)
        : level(i + 1).isMore(quote.bid)
          ? level(i + 1)
          : (order?.price ?? quote.ask);
      if (isBuying)
        return [{ id, side: "buy" as const, price, size: Money.of(config.size).dividedBy(level(i)) }];
      return [{ id, side: "sell" as const, price, size: base }];
    });
    return { orders: orders.flat(), state: next };
  },
});
