/** Builds the function's input from a pass, with the permitted part of the book. */
import { midOfBook, midOfOthers, withoutOwn } from "../../engine/position/own-book.ts";
import { isFinal } from "../../engine/reconcile/order-life.ts";
import { div, max, ZERO } from "../../kernel/decimal.ts";
import { mix } from "../../kernel/hash.ts";
import { Money } from "../../kernel/money.ts";
import { createRandom } from "../../kernel/random.ts";
import type { Book, Market } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { StrategyInput } from "../../ports/definition.ts";
import type { StrategyContext } from "../../ports/kind.ts";
import type { DeclaredStrategy } from "../state.ts";
import type { RequestedData } from "./requested.ts";

/** Returns the book of others; undefined if it was not read or lacks a side. */
export function othersBook({ observed }: Pick<StrategyContext, "observed">): Book | undefined {
  const own = observed.open.map(({ side, price, amount, filled }) => ({
    side,
    price,
    amount: amount - filled,
  }));
  const { book } = observed;
  return book && midOfOthers(book, own) !== undefined ? withoutOwn(book, own) : undefined;
}

export interface CallInputs {
  readonly strategy: DeclaredStrategy;
  readonly live: readonly Order[];
  readonly market: Market;
  readonly book: Book;
  readonly now: number;
  readonly requested: RequestedData;
}

const { of } = Money;

export function inputFor(
  { strategy, live, market, book, now, requested }: CallInputs,
  { config, state }: { readonly config: unknown; readonly state: unknown },
): StrategyInput {
  const { state: books, number } = strategy;
  const draw = createRandom(mix(mix(0, number), now));
  const sideOf = (levels: Book["bids"]) =>
    levels.map(({ price, amount }) => ({ price: of(price), amount: of(amount) }));
  return {
    config,
    now,
    quote: visibleQuote(book),
    book: { bids: sideOf(book.bids), asks: sideOf(book.asks) },
    ...requested,
    market: rulesOf(market),
    position: positionOf(strategy),
    free: {
      base: of(max(ZERO, books.base)),
      quote: of(max(ZERO, strategy.config.budget.quote + books.ledger.quote)),
    },
    open: live
      .filter((order) => !isFinal(order) && books.ids[order.slot])
      .map(({ slot, side, price, amount, filled }) => ({
        ...{ id: books.ids[slot] ?? "", side },
        ...{ price: of(price), amount: of(amount), filled: of(filled) },
      })),
    fills: books.fills.map((fill) => ({ ...fill, price: of(fill.price), amount: of(fill.amount) })),
    state,
    random: () => draw() / 2 ** 32,
  };
}

function visibleQuote(book: Book): StrategyInput["quote"] {
  const [bid, ask] = [book.bids[0]?.price ?? ZERO, book.asks[0]?.price ?? ZERO];
  return { bid: of(bid), ask: of(ask), mid: of(midOfBook(book) ?? ZERO) };
}

const rulesOf = ({ symbol, base, quote, ...rules }: Market): StrategyInput["market"] => ({
  ...{ symbol, base, quote },
  ...{ tick: of(rules.tick), lot: of(rules.lot) },
  ...{ minAmount: of(rules.minAmount), minNotional: of(rules.minNotional) },
  ...{ maker: of(rules.maker), taker: of(rules.taker) },
});

const positionOf = ({ state: { base, cost, ledger } }: DeclaredStrategy): StrategyInput["position"] => ({
  base: of(base),
  cost: of(cost),
  averageCost: base > ZERO ? of(div(cost, base, "half")) : null,
  realized: of(ledger.realized),
});
