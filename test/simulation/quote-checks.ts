import { abs, type Decimal, max, min, mul, ONE, text, ZERO } from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { BookedOrder } from "../../src/market/matching.ts";
import type { Book } from "../../src/model/market.ts";
import type { Order } from "../../src/model/order.ts";
import type { QuoteStrategy } from "../../src/quote/state.ts";

/** What a place has said of a pair, lowest and highest. */
interface Reported {
  readonly symbol: Pair;
  readonly from: "own" | "others";
  readonly at: number;
  readonly least: Decimal;
  readonly most: Decimal;
}

/** So many levels of a book say where its middle may be once some of them are found to be one's own. */
const LOOKED_AT = 12;

interface Around {
  readonly now: () => number;
  readonly violate: (what: string) => void;
  /** When the pass that holds an account's lease began. */
  readonly passSince: (account: string) => number;
}

/** What has to hold of quotes, told without any of the functions that quote. */
export function createQuoteChecks({ now, violate, passSince }: Around) {
  let results: Reported[] = [];
  const lastQuoted = new Map<string, number>();
  const note = (one: Omit<Reported, "at">): void => {
    results = [...results.filter(({ at }) => at > now() - 300_000), { ...one, at: now() }];
  };

  /** What counts for a strategy now: fresh, and of a place that it asks. */
  const pricesFor = ({
    account,
    symbol,
    config,
  }: QuoteStrategy): readonly Pick<Reported, "least" | "most">[] => {
    const { weights, maxAge, fixed } = config;
    const since = passSince(account);
    const counts = results.filter(
      (one) =>
        one.symbol === symbol &&
        (one.from === "own"
          ? weights.own > ZERO && one.at >= since
          : weights.others > ZERO && one.at >= since - maxAge),
    );
    return fixed ? [...counts, { least: fixed.price, most: fixed.price }] : counts;
  };

  return {
    /** A book as the venue has told it; one that is old, or says nothing of a price, is none. */
    bookText(symbol: Pair, { bids, asks, at }: Book): void {
      const [bid, ask] = [bids[0]?.price, asks[0]?.price];
      if (bid === undefined || ask === undefined || bid >= ask || at < now() - 60_000) return;
      const prices = [...bids.slice(0, LOOKED_AT), ...asks.slice(0, LOOKED_AT)].map(({ price }) => price);
      const sorted = prices.sort((a, b) => (a < b ? -1 : 1));
      note({ symbol, from: "own", least: sorted[0] ?? bid, most: sorted.at(-1) ?? ask });
    },

    otherText: (symbol: Pair, price: Decimal): void =>
      note({ symbol, from: "others", least: price, most: price }),

    /** An order of a slot that the store has recorded. */
    intended(order: Order, strategy: QuoteStrategy): void {
      const { clientId, side, price, timeInForce } = order;
      const { rules } = strategy.config;
      if (timeInForce !== "post_only") violate(`${clientId} may take`);
      const prices = pricesFor(strategy);
      if (prices.length === 0) {
        violate(`${clientId} rests around a price that no place has told`);
        return;
      }
      const highest = prices.reduce((all, one) => max(all, one.most), ZERO);
      const lowest = prices.reduce((all, one) => min(all, one.least), highest);
      // The half-spread is a share of the price that the skew has moved.
      const most = mul(mul(highest, ONE + rules.mostSkew, "up"), ONE - rules.halfSpread, "up");
      const least = mul(mul(lowest, ONE - rules.mostSkew, "down"), ONE + rules.halfSpread, "down");
      if (side === "buy" ? price > most : price < least)
        violate(`${clientId} is a ${side} at ${text(price)}, where ${text(lowest)} and more was told`);
    },

    /** As it was quoted last: whoever holds more than is wanted quotes lower, whoever holds less higher. */
    quotedAs({ id, state, config }: QuoteStrategy): void {
      const { quoted } = state;
      if (!quoted || quoted.at === lastQuoted.get(id)) return;
      lastQuoted.set(id, quoted.at);
      const { reference, reservation } = quoted;
      const { target, strength, avellaneda } = config.rules;
      if (reference === null || reservation === null || strength === ZERO) return;
      const worth = (state.base * reference) / ONE;
      const whole = worth + config.budget.quote + state.ledger.quote;
      const inventory = avellaneda ? worth : worth - (whole * target) / ONE;
      // A thousandth of the whole is more than roundings come to.
      if (whole <= ZERO || abs(inventory) * 1000n < whole) return;
      if (inventory > ZERO ? reservation > reference : reservation < reference && !avellaneda)
        violate(
          `${id} holds ${text(inventory)} beside its target and leans to ${text(reservation)} of ${text(reference)}`,
        );
    },

    /** The store is an earlier one: what it quoted last was of other books than it has now. */
    restored(strategies: Iterable<Pick<QuoteStrategy, "id" | "state">>): void {
      for (const { id, state } of strategies) if (state.quoted) lastQuoted.set(id, state.quoted.at);
    },

    /**
     * An order has come to the venue: what bids lock there, with what was bought there, is never more than is quoted
     * with. The strategy's ledger does not know yet what a bid has bought that is not booked.
     */
    withinBudget({ id, config }: QuoteStrategy, bids: readonly BookedOrder[], traded: Decimal): void {
      const locked = bids.reduce(
        (sum, { price, amount, filled }) => sum + mul(price, amount - filled, "down"),
        ZERO,
      );
      const budget = config.budget.quote + traded;
      if (locked > budget) violate(`${id} bids ${text(locked)}, and quotes with ${text(budget)}`);
    },
  };
}

export type QuoteChecks = ReturnType<typeof createQuoteChecks>;
