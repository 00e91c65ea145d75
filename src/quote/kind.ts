import {
  bookTrade,
  countOrder,
  movedByPosition,
  positionAccounts,
  positionReserve,
} from "../engine/position/position.ts";
import { mul } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Fill, Order } from "../model/order.ts";
import type { BuiltInKind } from "../ports/kind.ts";
import { mayQuote, runQuote } from "./pass/run.ts";
import { requestedElsewhere } from "./pass/sources.ts";
import { fillsForDefence } from "./plan.ts";
import { type QuoteConfig, type QuoteState, type QuoteStrategy, STORED_QUOTES } from "./state.ts";

/** Quotes: orders on both sides of a market that follow a reference price from several sources. */
export const quoteKind: BuiltInKind<QuoteConfig, QuoteState> = {
  ...STORED_QUOTES,
  bookFill: (state: QuoteState, symbol: Pair, fill: Fill) => bookTrade(state, symbol, fill),
  bookEnd: (state: QuoteState, order: Order) => countOrder(state, order),
  // Its first base is known when all its orders are: it starts again with that.
  beforeFound: ({ state }: QuoteStrategy) => state,
  afterFound: (state: QuoteState) => state,
  skipGenerations: ({ state }: QuoteStrategy) => state,
  release: (state: QuoteState) => state,
  holdings: ({ base, cost }: QuoteState) => ({ base, cost }),
  reserve: positionReserve,
  movedByBooks: movedByPosition,
  accounts: positionAccounts,
  isInRange: ({ quoted }: QuoteState) => quoted !== null && quoted.reference !== null,
  hasRange: false,
  reads: "book",
  asksElsewhere: requestedElsewhere,
  fillsFor: ({ rules }: QuoteConfig, interval) => fillsForDefence(rules.defence, interval),
  mayPlace: mayQuote,
  // Orders further than the tolerance from the new reference move. Other sources are read at each round.
  wakesAt: ({ state, config: { tolerance } }: QuoteStrategy) => {
    const price = state.quoted?.reference;
    if (price === undefined || price === null) return undefined;
    const far = mul(price, tolerance.price, "up");
    return { below: price - far, above: price + far };
  },
  outdated: () => [],
  run: runQuote,
};
